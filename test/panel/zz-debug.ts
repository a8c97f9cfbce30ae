import fc from 'fast-check'
import { type FeedMemory, sight } from '../../src/panel/feed.ts'
import { chronological, orderOf } from '../../src/panel/chronology.ts'
import { courses, judge, play, type Order } from './histories.ts'
let shown = 0
const wanted = process.argv[2] as Order
for (const course of fc.sample(courses('log', wanted, Number(process.argv[3])), 3000)) {
  const h = play(course)
  let memory: FeedMemory | null = null
  const seen = new Set<number>()
  let trace: string[] = []
  const v = judge(h, ({ list }) => {
    const b = memory
    const s = sight(memory, 'A', list)
    memory = s.memory
    const order = orderOf(list, b?.order)
    const nums = chronological(list, order).map(h.numberOf)
    const news = nums.filter((n) => !seen.has(n))
    for (const n of nums) seen.add(n)
    trace.push(`${order} n=${list.length} truth=${news.length} got=${s.fresh.length} ${JSON.stringify(list.map((e) => e.datetime.slice(11, 16) + e.type_id + e.zone)).slice(0,700)}`)
    return { fresh: s.fresh.map((x) => x.event), isGap: s.gap !== undefined }
  })
  if (v.lost + v.repeated) {
    console.log(JSON.stringify(v), course.window)
    const i = trace.findIndex((t, i) => i > 0 && /truth=(\d+) got=(\d+)/.exec(t)![1] !== /truth=(\d+) got=(\d+)/.exec(t)![2])
    for (const t of trace.slice(Math.max(0,i - 1), i + 1)) console.log(t.replace(/"/g, ''))
    if (++shown > 5) break
  }
}

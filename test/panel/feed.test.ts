import fc from 'fast-check'
import { type FeedMemory, sight } from '../../src/panel/feed.ts'
import { courses, judge, kinds, type Method, play } from './histories.ts'
const feed = (): Method => {
  let memory: FeedMemory | null = null
  return ({ list, isRestart }) => {
    if (isRestart) memory = JSON.parse(JSON.stringify(memory))
    const sighting = sight(memory, 'A1B2C3', list)
    memory = sighting.memory
    return { fresh: sighting.fresh.map(({ event }) => event), isGap: sighting.gap !== undefined }
  }
}
for (const least of [0, 8]) for (const order of ['oldest first', 'newest first', 'shuffled'] as const) for (const kind of kinds) {
  const sum = { lost: 0, repeated: 0, disordered: 0, misreported: 0, bad: 0 }
  const t = performance.now()
  for (const course of fc.sample(courses(kind, order, least), 1000)) {
    const v = judge(play(course), feed())
    for (const k of Object.keys(v) as (keyof typeof v)[]) sum[k] += v[k]
    if (v.lost + v.repeated) sum.bad++
  }
  console.log(least, order, kind, JSON.stringify(sum), Math.round(performance.now() - t))
}

import assert from 'node:assert/strict'
import type { Comparison } from '../../bench/comparison.ts'
import { formatJson, formatTable } from '../../bench/report.ts'

const run = (ours: number, theirs: number, changes: Partial<Comparison> = {}): Comparison[] => [
  { what: 'the first list', ours, theirs, unit: 'µs', goal: 0.4, ...changes },
]
const times = [run(36, 100), run(82.04, 200), run(17, 50)]
const lost = (...counts: number[]) => counts.map((count) => run(count, 2500, { unit: '', goal: 0 }))

/** Returns the last line of a table, without its spacing. */
function lastLine(table: string): string {
  return table.split('\n').at(-1)?.replaceAll(/ +/g, ' ').trim() ?? ''
}

describe('The table of the benchmarks', () => {
  it('has the medians of both sides and of the ratio, with its lowest and highest', () => {
    assert.equal(
      formatTable([{ id: 6, name: 'New events', runs: times }]),
      [
        '   measure              ours  theirs  ratio  (min to max)    goal',
        '6  New events, 3 runs',
        '     the first list    36 µs  100 µs   0.36  (0.34 to 0.41)  <= 0.4  met',
      ].join('\n'),
    )
  })

  it('names a single ratio once if no run differs', () => {
    const table = formatTable([{ id: 8, name: 'Lost events', runs: lost(0, 0, 0) }])
    assert.equal(lastLine(table), 'the first list 0 2,500 0 <= 0 met')
  })

  it('shows one lost event of one run, which the median and three places would hide', () => {
    const table = formatTable([{ id: 8, name: 'Lost events', runs: lost(0, 0, 1) }])
    assert.equal(lastLine(table), 'the first list 0 2,500 0 (0 to 0.0004) <= 0 NOT MET')
  })

  it('tells an exact goal from a highest one', () => {
    const table = formatTable([
      { id: 1, name: 'Requests', runs: [run(28, 28, { unit: '', goal: 1, isExact: true })] },
    ])
    assert.equal(lastLine(table), 'the first list 28 28 1 = 1 met')
  })

  it('shows no goal beside a figure that is there to compare with', () => {
    const table = formatTable([
      { id: 15, name: 'Polls', runs: [run(98, 100, { unit: '', goal: Number.POSITIVE_INFINITY })] },
    ])
    assert.equal(lastLine(table), 'the first list 98 100 0.98')
  })

  it('says that a benchmark was run once, and whether that is enough', () => {
    const runs = [run(36, 100)]
    const table = formatTable([
      { id: 2, name: 'Attempts', runs, once: 'same' },
      { id: 8, name: 'Kills', runs, once: 'long' },
    ])
    assert.match(table, /^2 {2}Attempts, 1 run: always the same$/m)
    assert.match(table, /^8 {2}Kills, 1 run$/m)
  })

  it('says that a benchmark failed', () => {
    assert.equal(lastLine(formatTable([{ id: 6, name: 'New events', runs: [] }])), '6 New events: failed')
  })
})

describe('The JSON of the benchmarks', () => {
  it('has the lowest and highest ratio beside the median', () => {
    assert.deepEqual(JSON.parse(formatJson([{ id: 6, name: 'New events', runs: times }])), [
      {
        id: 6,
        measure: 'New events: the first list (µs)',
        ours: 36,
        theirs: 100,
        ratio: 0.36,
        min: 0.34,
        max: 0.41,
        goal: 0.4,
        met: true,
      },
    ])
  })

  it('has no figures of a benchmark that failed, and its goal is not met', () => {
    const [{ met, ratio, min, max }] = JSON.parse(formatJson([{ id: 6, name: 'New events', runs: [] }]))
    assert.deepEqual({ met, ratio, min, max }, { met: false, ratio: null, min: null, max: null })
  })
})

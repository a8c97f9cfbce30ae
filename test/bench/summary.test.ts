import assert from 'node:assert/strict'
import { type Comparison, median } from '../../bench/comparison.ts'
import { isMet, roundRatio, spreadOf, summarize, worstSummary } from '../../bench/summary.ts'

/** Returns runs of a benchmark with one comparison, one run for each of our figures. */
function runsOf(ours: readonly number[], changes: Partial<Comparison> = {}): Comparison[][] {
  return ours.map((one) => [{ what: 'call', ours: one, theirs: 100, unit: 'ms', goal: 1.1, ...changes }])
}

function isMetBy(ours: readonly number[], changes: Partial<Comparison> = {}): boolean {
  const [summary] = summarize(runsOf(ours, changes))
  assert.ok(summary)
  return isMet(summary)
}

describe('The median', () => {
  it('is the figure in the middle, whatever the order', () => {
    assert.equal(median([9, 1, 200, 3, 4]), 4)
  })

  it('is the higher one of the two in the middle, so that an even number of runs is judged strictly', () => {
    assert.equal(median([4, 1, 3, 2]), 3)
  })
})

describe('The spread', () => {
  it('has the least, the middle and the greatest figure', () => {
    assert.deepEqual(spreadOf([9, 1, 200, 3, 4]), { min: 1, median: 4, max: 200 })
  })
})

describe('The summary of a benchmark', () => {
  it('has the medians of both sides, and the ratios within the runs', () => {
    const calls = [
      [60, 200],
      [10, 100],
      [20, 50],
    ].map(([ours = 0, theirs = 0]) => runsOf([ours], { theirs })[0] ?? [])
    assert.deepEqual(summarize(calls), [
      {
        what: 'call',
        unit: 'ms',
        goal: 1.1,
        ours: 20,
        theirs: 100,
        ratio: { min: 0.1, median: 0.3, max: 0.4 },
      },
    ])
  })

  it('keeps the comparisons of a benchmark apart', () => {
    const run = (ours: number): Comparison[] =>
      ['one', 'other'].map((what, place) => ({
        what,
        ours: ours + place,
        theirs: 1,
        unit: '',
        goal: 9,
      }))
    const summaries = summarize([run(1), run(3), run(5)])
    assert.deepEqual(
      summaries.map(({ what, ours }) => [what, ours]),
      [
        ['one', 3],
        ['other', 4],
      ],
    )
  })

  it('is empty without a run', () => {
    assert.deepEqual(summarize([]), [])
  })
})

describe('A goal', () => {
  it('is met if the median meets it, whatever the worst run', () => {
    assert.equal(isMetBy([100, 110, 110, 300, 400]), true)
  })

  it('is not met if only the best runs meet it', () => {
    assert.equal(isMetBy([50, 60, 111, 112, 113]), false)
  })

  it('of no event at all is not met if one run of five has lost one of thousands', () => {
    const events = { unit: '', theirs: 29_858, goal: 0 }
    assert.equal(isMetBy([0, 0, 0, 0, 0], events), true)
    assert.equal(isMetBy([0, 0, 1, 0, 0], events), false)
  })

  it('of a cap is not met if one run of five exceeds it', () => {
    const attempts = { unit: '', theirs: 120, goal: 1 }
    assert.equal(isMetBy([108, 120, 108, 108, 108], attempts), true)
    assert.equal(isMetBy([108, 121, 108, 108, 108], attempts), false)
  })

  it('of 1 for times is met by the median', () => {
    assert.equal(isMetBy([90, 95, 101], { goal: 1 }), true)
  })

  it('that is exact is not met by less in one run', () => {
    const requests = { unit: '', theirs: 28, goal: 1 }
    assert.equal(isMetBy([28, 27, 28], { ...requests, isExact: true }), false)
    assert.equal(isMetBy([28, 28, 28], { ...requests, isExact: true }), true)
    assert.equal(isMetBy([28, 27, 28], requests), true)
  })
})

describe('The comparison that represents a benchmark', () => {
  const worstOf = (...all: Comparison[][][]) =>
    worstSummary(all.flatMap((runs, place) => summarize(runs).map((one) => ({ ...one, what: `${place}` }))))
      ?.what

  it('is the one farthest beyond its goal', () => {
    assert.equal(worstOf(runsOf([90]), runsOf([60], { goal: 0.5 }), runsOf([100])), '1')
  })

  it('is a count that one run exceeds, before a time that just meets its goal', () => {
    assert.equal(worstOf(runsOf([110, 110, 110]), runsOf([0, 0, 1], { unit: '', goal: 0 })), '1')
  })

  it('is an exact count that one run falls below, before a time that misses its goal', () => {
    assert.equal(
      worstOf(runsOf([150, 150, 150]), runsOf([99, 100, 100], { unit: '', goal: 1, isExact: true })),
      '1',
    )
  })
})

describe('A ratio for a reader', () => {
  it('has three places', () => {
    assert.equal(roundRatio(1.30662), 1.307)
    assert.equal(roundRatio(0.2404), 0.24)
  })

  it('is never 0 for one event of many', () => {
    assert.equal(roundRatio(1 / 29_858), 0.0000335)
    assert.equal(roundRatio(0), 0)
  })
})

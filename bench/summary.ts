import { type Comparison, median } from './comparison.ts'

/** The least, the middle and the greatest of some figures. */
export interface Spread {
  min: number
  median: number
  max: number
}

/** A comparison over all runs of its benchmark; `ours` and `theirs` are medians. */
export interface Summary extends Comparison {
  /**
   * Ratios of ours to theirs, each within one run: load on the machine slows down both sides of a run, so that
   * ratios vary less than the figures. The median can therefore differ from the ratio of the two medians.
   */
  ratio: Spread
}

/** Returns the spread of the figures. */
export function spreadOf(figures: readonly number[]): Spread {
  return { min: Math.min(...figures), median: median(figures), max: Math.max(...figures) }
}

/** Returns the comparisons of a benchmark, each over all runs. Every run has the same comparisons, in the same order. */
export function summarize(runs: readonly (readonly Comparison[])[]): Summary[] {
  return (runs[0] ?? []).map((first, place) => {
    const all = runs.flatMap((run) => run[place] ?? [])
    return {
      ...first,
      ours: median(all.map(({ ours }) => ours)),
      theirs: median(all.map(({ theirs }) => theirs)),
      ratio: spreadOf(all.map(({ ours, theirs }) => ours / theirs)),
    }
  })
}

/**
 * Tells if the goal is reached: by the median of the runs, so that neither a lucky nor an unlucky run decides. What must
 * not happen even once is judged by the worst run, which is stricter: counts with a goal of 0 (lost events) or 1
 * (attempts in a minute / cap).
 */
export function isMet(summary: Summary): boolean {
  return judgedRatio(summary) <= summary.goal
}

/** Returns the comparison that represents a benchmark: the one with the worst ratio to its goal. */
export function worstSummary(summaries: readonly Summary[]): Summary | undefined {
  return [...summaries].sort((one, other) => shareOfGoal(other) - shareOfGoal(one))[0]
}

/** Returns a ratio for a reader, to three places; a small one to three digits, because one lost event is not none. */
export function roundRatio(ratio: number): number {
  return Number(ratio < 1 ? ratio.toPrecision(3) : ratio.toFixed(3))
}

/** Returns the ratio that decides. */
function judgedRatio({ unit, goal, isExact, ratio }: Summary): number {
  if (isExact && ratio.min < goal) return Number.POSITIVE_INFINITY
  const mustNeverExceed = unit === '' && (goal === 0 || goal === 1)
  return mustNeverExceed ? ratio.max : ratio.median
}

/** Returns the ratio to the goal; 1 just reaches it. */
function shareOfGoal(summary: Summary): number {
  const judged = judgedRatio(summary)
  return judged === summary.goal ? 1 : judged / summary.goal
}

/**
 * Our value and the value that it is compared with (a peer, the bare operation or a limit), from the same
 * run.
 */
export interface Comparison {
  /** Short name of the comparison. */
  what: string
  ours: number
  theirs: number
  /** Unit of both values; empty for counts. */
  unit: string
  /** Maximum ratio of ours to theirs. */
  goal: number
}

/** Returns the ratio of ours to theirs, to three places. */
export function ratio({ ours, theirs }: Comparison): number {
  return Math.round((1000 * ours) / theirs) / 1000
}

/** Tells if the goal is reached. */
export function isMet(comparison: Comparison): boolean {
  return ratio(comparison) <= comparison.goal
}

/** Returns the comparison that represents a benchmark: the one with the worst ratio to its goal. */
export function worstComparison(comparisons: readonly Comparison[]): Comparison | undefined {
  return [...comparisons].sort((one, other) => shareOfGoal(other) - shareOfGoal(one))[0]
}

/** Returns the ratio to the goal; 1 just reaches it. */
function shareOfGoal(comparison: Comparison): number {
  const reached = ratio(comparison)
  return reached === comparison.goal ? 1 : reached / comparison.goal
}

/** Returns the median of an odd number of values. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** Returns the value below which this share of all values lies. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Returns the mean of the values. */
export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length
}

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
  /** True for a count of which less is wrong too: the ratio must be the goal in every run. */
  isExact?: true
}

/** Returns the median; of an even number of values, the higher one of the two in the middle. */
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

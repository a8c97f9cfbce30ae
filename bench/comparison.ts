/** What is ours, beside a peer, the bare operation, or what it is to be held against; taken in one run. */
export interface Comparison {
  /** What is compared, in a few words. */
  what: string
  ours: number
  theirs: number
  /** Of both; empty for counts. */
  unit: string
  /** The largest ratio of ours to theirs that will do. */
  goal: number
}

/** Ours to theirs, to three places. */
export function ratio({ ours, theirs }: Comparison): number {
  return Math.round((1000 * ours) / theirs) / 1000
}

/** Whether the goal is reached. */
export function isMet(comparison: Comparison): boolean {
  return ratio(comparison) <= comparison.goal
}

/** The comparison that stands for a measure: the one that is farthest beyond its goal, or comes nearest to it. */
export function decisive(comparisons: readonly Comparison[]): Comparison | undefined {
  return [...comparisons].sort((one, other) => use(other) - use(one))[0]
}

/** How much of the goal is used up; 1 is just within. */
function use(comparison: Comparison): number {
  const reached = ratio(comparison)
  return reached === comparison.goal ? 1 : reached / comparison.goal
}

/** The middle one of an odd number of figures. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** The figure below which lies this share of all. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** The mean of figures. */
export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length
}

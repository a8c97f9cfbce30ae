import type { Comparison } from './comparison.ts'

/** The environment of a benchmark. */
export interface BenchmarkOptions {
  /**
   * A folder shared by all benchmarks of a run; a package that one of them installs is reused by the next.
   */
  folder: string
  /** Reports the current step. */
  progress(what: string): void
}

/** Runs one benchmark. */
export type Benchmark = (surroundings: BenchmarkOptions) => Promise<Comparison[]>

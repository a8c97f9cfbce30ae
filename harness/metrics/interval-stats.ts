/** Statistics of the intervals between repeated events. */
export interface IntervalStats {
  count: number
  /** The shortest and longest interval in milliseconds; Infinity and 0 if there was none. */
  shortest: number
  longest: number
}

/** Measures the intervals between events by name, without storing the events. */
export class IntervalCounter {
  #rhythms: Record<string, IntervalStats> = {}
  readonly #latest = new Map<string, number>()

  note(name: string, at: number): void {
    const rhythm = this.#rhythms[name] ?? { count: 0, shortest: Number.POSITIVE_INFINITY, longest: 0 }
    const passed = at - (this.#latest.get(name) ?? at)
    this.#latest.set(name, at)
    rhythm.count += 1
    if (passed > 0) rhythm.shortest = Math.min(rhythm.shortest, passed)
    rhythm.longest = Math.max(rhythm.longest, passed)
    this.#rhythms[name] = rhythm
  }

  /** Returns the statistics since the last call. */
  take(): Record<string, IntervalStats> {
    const taken = this.#rhythms
    this.#rhythms = {}
    return taken
  }
}

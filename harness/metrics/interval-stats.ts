/** How regularly something happened. */
export interface IntervalStats {
  count: number
  /** The shortest and longest time between two in a row, in milliseconds; Infinity and 0 where there were none. */
  shortest: number
  longest: number
}

/** Counts what happens again and again, by name, and keeps none of it. */
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

  /** The rhythms since this was asked last. */
  take(): Record<string, IntervalStats> {
    const taken = this.#rhythms
    this.#rhythms = {}
    return taken
  }
}

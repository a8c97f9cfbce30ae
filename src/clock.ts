/** The two clocks of the account and the panel, injected so that a test can control them. */
export interface Clock {
  /**
   * Milliseconds on a clock that changes of the wall clock do not affect. All processes share it until the
   * machine restarts. Use it for intervals, windows and ages.
   */
  monotonic(): number
  /** Milliseconds since 1970 on the wall clock. Use it for times shown to people, never for intervals. */
  wall(): number
  /** Calls `callback`, which must not throw, once after `delay` milliseconds. Returns a cancel function. */
  after(delay: number, callback: () => void): () => void
}

/** The clocks of this machine. */
export const systemClock: Clock = {
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1000 + nanoseconds / 1e6
  },
  wall: () => Date.now(),
  after: (delay, callback) => {
    const timer = setTimeout(callback, delay)
    return () => clearTimeout(timer)
  },
}

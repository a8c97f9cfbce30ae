/** The two clocks that the account and the panel live by, passed in so that a test can drive them. */
export interface Clock {
  /**
   * Milliseconds on a clock that no step of the wall clock moves, the same for every process until the machine is
   * restarted: for intervals, windows and ages.
   */
  monotonic(): number
  /** Milliseconds since 1970 as the wall clock tells now: for times shown to people, never for intervals. */
  wall(): number
  /** Calls `callback` once after `delay` milliseconds; the answer calls it off. `callback` must not throw. */
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

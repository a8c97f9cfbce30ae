import { closedError } from './service/error.ts'

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

/**
 * Calls `callback` at a fixed interval, the first time after one interval. Returns a function that stops it.
 * @param interval milliseconds
 */
export function every(clock: Clock, interval: number, callback: () => void): () => void {
  let cancel = () => {}
  const plan = () => {
    cancel = clock.after(interval, () => {
      // Scheduled before the call, so that the next call comes even if this one throws, unless the call
      // itself stops the interval.
      plan()
      callback()
    })
  }
  plan()
  return () => cancel()
}

/**
 * Resolves after `ms` milliseconds.
 * @throws KeyholderError CLOSED as soon as the signal is aborted
 */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', end)
      resolve()
    })
    function end(): void {
      cancel()
      reject(closedError())
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

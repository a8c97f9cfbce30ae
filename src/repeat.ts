import type { Clock } from './clock.ts'

/**
 * Calls `callback` at a fixed interval, the first time after one interval. Returns a function that stops it.
 * @param interval milliseconds
 */
export function repeat(clock: Clock, interval: number, callback: () => void): () => void {
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

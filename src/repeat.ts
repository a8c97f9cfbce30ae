import type { Clock } from './clock.ts'

/**
 * Calls `callback` at an interval, for the first time after one; the answer ends it.
 * @param interval milliseconds
 */
export function repeat(clock: Clock, interval: number, callback: () => void): () => void {
  let cancel = () => {}
  const plan = () => {
    cancel = clock.after(interval, () => {
      // Before the call: whatever becomes of it, there is a next one, unless the call itself ends it.
      plan()
      callback()
    })
  }
  plan()
  return () => cancel()
}

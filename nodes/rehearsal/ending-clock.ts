import type { Clock } from '../../src/clock.ts'

/** Returns a clock with the time of another one, and a function after which it calls nothing back. */
export function endingClock(other: Clock): { clock: Clock; end(): void } {
  const pending = new Set<() => void>()
  let hasEnded = false
  const after: Clock['after'] = (ms, callback) => {
    // What had begun before the end may go on for a moment after it.
    if (hasEnded) return () => {}
    const cancel = other.after(ms, () => {
      pending.delete(cancel)
      callback()
    })
    pending.add(cancel)
    return () => {
      pending.delete(cancel)
      cancel()
    }
  }
  const end = () => {
    hasEnded = true
    for (const cancel of pending) cancel()
  }
  return { clock: Object.assign(Object.create(other), { after }), end }
}

import fc from 'fast-check'
import type { Clock } from '../../src/clock.ts'
import { type LastingDisturbance, lastingDisturbance } from './lasting-disturbance.ts'
import { lengths, slowAnswerTimes } from './lengths.ts'
import type { Slowness } from './slowness.ts'

/**
 * Returns a store whose methods do their work at once and answer late, in the order of their calls. What is no promise is
 * not delayed.
 * @param slowness is asked at each call
 */
export function slowStore<S extends object>(store: S, slowness: Pick<Slowness, 'ms'>, clock: Clock): S {
  let latest = 0
  const answerLate = async (answer: Promise<unknown>) => {
    const { ms } = slowness
    latest = Math.max(latest, clock.monotonic() + ms)
    const left = latest - clock.monotonic()
    if (left > 0) await new Promise<void>((resolve) => clock.after(left, resolve))
    return answer
  }
  return new Proxy(store, {
    // The target is the receiver, because only it has its private fields.
    set: (target, key, value) => Reflect.set(target, key, value, target),
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, args)
        if (!(result instanceof Promise)) return result
        // It may fail long before anybody can wait for it.
        result.catch(() => {})
        return answerLate(result)
      }
    },
  })
}

/** Returns stores that answer after `ms` milliseconds. */
export function slowStores(ms: number, lasts: number): LastingDisturbance {
  return lastingDisturbance(`answers of the stores after ${ms} ms`, lasts, ({ stores }, signal) =>
    stores.add(ms, signal),
  )
}

/** An arbitrary for stores that answer late. */
export const anySlowStores: fc.Arbitrary<LastingDisturbance> = fc
  .tuple(fc.constantFrom(...slowAnswerTimes), lengths)
  .map((values) => slowStores(...values))

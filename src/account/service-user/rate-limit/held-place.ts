import type { Clock } from '../../../clock.ts'
import { second } from '../../../duration.ts'
import { asKeyholderError } from '../../../service/error.ts'

/** Milliseconds beyond its timeout for which an attempt may hold its place: its answer is noted on the disk or in the cluster. */
const grace = 5 * second

/** The place of an attempt in the queue, which nobody else can have meanwhile. */
export interface HeldPlace {
  /** True when the place was taken away. */
  readonly isOver: boolean
  /** Closes the connection of the attempt, once it has one. Must not throw. */
  cutOff(): void
  /** Counts the time anew, after a wait that is no attempt. */
  beginAnew(): void
}

/**
 * Runs a work that holds a place in the queue. What does not end by itself ends here: its connection is closed, and the place
 * is free for the next attempt.
 * @param timeout milliseconds after which an attempt has ended by itself; without it there is no watch
 * @throws KeyholderError INTERNAL_ERROR some seconds after the timeout
 * @throws the errors of `work`
 */
export function whileHeld<T>(
  clock: Clock,
  timeout: number | undefined,
  work: (place: HeldPlace) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeAway = () => {
      place.isOver = true
      place.cutOff()
      reject(asKeyholderError(new Error('a request has held its place beyond its timeout')))
    }
    const watch = () => (timeout === undefined ? () => {} : clock.after(timeout + grace, takeAway))
    let cancel = watch()
    const beginAnew = () => {
      cancel()
      cancel = watch()
    }
    const place = { isOver: false, cutOff: () => {}, beginAnew }
    work(place)
      .finally(() => cancel())
      .then(resolve, reject)
  })
}

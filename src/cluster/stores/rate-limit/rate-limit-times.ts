import { minute, second } from '../../../duration.ts'
import { membershipTimes } from '../../membership/membership.ts'

/** Milliseconds by which attempts are limited. */
export interface RateLimitTimes {
  window: number
  /** Added to the window for steps of the server's clock, and rounding. */
  margin: number
  /** An attempt without an end counts as ended this long after its timeout: its process was killed. */
  overdue: number
  /** An attempt that was asked for this long ago is not sent any more; shorter than `overdue`. */
  fresh: number
}

/** Milliseconds of the longest timeout of an account. */
export const maxTimeout = 5 * minute

/** The times of the product. */
export const rateLimitTimes: RateLimitTimes = {
  window: minute,
  margin: second,
  overdue: 10 * second,
  // As long as the session is valid: a slow server is no reason not to send.
  fresh: membershipTimes.validity,
}

import { minute, second } from '../../../duration.ts'

/** Milliseconds by which attempts are limited. */
export interface RateLimitTimes {
  window: number
  /** Added to the window for steps of the server's clock, and rounding. */
  margin: number
  /** An attempt without an end counts as ended after this time: its process was killed. */
  longest: number
  /** An attempt keeps others from a try after a backoff for this time at most; shorter than `longest`. */
  probing: number
  /** An attempt that was counted this long ago is not sent any more. */
  fresh: number
}

/** The times of the product. */
export const rateLimitTimes: RateLimitTimes = {
  window: minute,
  margin: second,
  // The longest timeout of an account, and some time for the turn of the process.
  longest: 5 * minute + 10 * second,
  probing: minute,
  fresh: second,
}

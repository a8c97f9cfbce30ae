import fc from 'fast-check'
import { minute, second } from '../../src/duration.ts'

/** Milliseconds of an answer that is slow but comes. */
export const slowAnswerTimes = [0.5 * second, 1.2 * second, 3 * second] as const

/** An arbitrary for the length of a disturbance, in milliseconds. */
export const lengths: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: second, max: 10 * minute }),
  fc.constantFrom(30 * second, 2 * minute, 10 * minute),
)

/** An arbitrary for the length of a disturbance that may stay: two minutes, or for ever. */
export const lengthsOrForEver: fc.Arbitrary<number> = fc.constantFrom(2 * minute, Number.POSITIVE_INFINITY)

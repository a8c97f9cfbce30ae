import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import type { Deed, Step } from '../life.ts'
import { happening } from './any-deed.ts'

/** Milliseconds between two things that happen. */
const moment = fc.constantFrom(0, second, 10 * second, 40 * second)

const off = fc.constantFrom(second, 30 * second)

/** Node-RED ends while it delivers the events of a list that has just come. */
const ending: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom('kill', 'kill', 'power cut'),
  when: fc.constant('events come'),
  // A list of events is delivered 20 to 40 steps after it has come.
  steps: fc.oneof(fc.nat({ max: 60 }), fc.integer({ min: 20, max: 40 })),
  lasts: off,
} as const)

/** Reports of the panel that change nothing, all in one second; some were on their way for long. */
const reports: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('reports'),
  count: fc.constantFrom(1, 2, 12),
  late: fc.constantFrom(0, 0, minute, 40 * minute),
} as const)

const burglary: readonly Deed[] = [
  { what: 'arm', partition: 1, state: 'AWAY', person: 'Ben', exitDelay: 0 },
  { what: 'open', zone: 2 },
]

/** A deed that has an event. */
const eventful: fc.Arbitrary<readonly Deed[]> = fc.oneof(
  fc.tuple(reports),
  fc.tuple(happening, reports),
  fc.constant(burglary),
)

const diskFault: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    what: fc.constant('disk full'),
    room: fc.constantFrom(0, 40),
    lasts: fc.constantFrom(3 * minute, 10 * minute),
  } as const),
  fc.record({ what: fc.constant('disk read-only'), lasts: fc.constant(3 * minute) } as const),
)

/** Events that are on their way to a flow when Node-RED ends. */
const interruptedDelivery: fc.Arbitrary<Step[]> = fc
  .record({
    moments: fc.tuple(moment, moment, moment),
    first: eventful,
    ending,
    next: eventful,
    again: fc.option(ending),
  })
  .map(({ moments: [before, between, after], first, ending, next, again }) => [
    ...first.map((deed) => ({ after: before, deed })),
    { after: 0, deed: ending },
    ...next.map((deed) => ({ after: between, deed })),
    ...(again === null ? [] : [{ after: 0, deed: again }]),
    { after, deed: { what: 'ask' } },
  ])

/** Events that come while nothing can be noted. */
const unnotedDelivery: fc.Arbitrary<Step[]> = fc
  .record({ moments: fc.tuple(moment, moment), diskFault, first: eventful, ending: fc.option(ending) })
  .map(({ moments: [before, between], diskFault, first, ending }) => [
    { after: before, deed: diskFault },
    ...first.map((deed) => ({ after: between, deed })),
    ...(ending === null ? [] : [{ after: 70 * second, deed: ending }]),
  ])

/** Reports that come in another order than their times. */
const lateReports: fc.Arbitrary<Step[]> = fc.array(fc.record({ after: moment, deed: reports }), {
  minLength: 2,
  maxLength: 3,
})

/** The scenes of the delivery by name. */
export const deliveryScenes: Readonly<Record<string, fc.Arbitrary<Step[]>>> = {
  interruptedDelivery,
  unnotedDelivery,
  lateReports,
}

/** An arbitrary for events that must reach the flow, whatever happens to Node-RED and its disk. */
export const deliveryScene: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 3, arbitrary: interruptedDelivery },
  { weight: 1, arbitrary: unnotedDelivery },
  { weight: 1, arbitrary: lateReports },
)

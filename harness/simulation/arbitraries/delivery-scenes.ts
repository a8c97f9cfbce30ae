import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import type { Deed, Step } from '../life.ts'
import { movedTimes } from '../service/service-faults.ts'
import { happening } from './any-deed.ts'

/** Milliseconds between two things that happen. */
const moment = fc.constantFrom(0, second, 10 * second, 40 * second)

const off = fc.constantFrom(second, 30 * second)

const whenEventsCome = {
  when: fc.constant('events come'),
  // A list of events is delivered 20 to 40 steps after it has come; then nothing happens while the flow works on it.
  steps: fc.oneof(fc.nat({ max: 60 }), fc.integer({ min: 20, max: 40 }), fc.constant(1000)),
} as const

/** Node-RED, or a node, ends while it delivers the events of a list that has just come. */
const ending: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom('kill', 'kill', 'power cut'),
      ...whenEventsCome,
      lasts: off,
    } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('deploy'),
      // The panel node stays, and the messages that were on their way are dropped.
      kind: fc.constant('flows'),
      change: fc.constant('events'),
      when: whenEventsCome.when,
      steps: fc.integer({ min: 12, max: 24 }),
    } as const),
  },
)

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

/** A list that shows less than there is, as the first one after a sign-in may. */
const thinList: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('service fault'),
  fault: fc.constantFrom('event list empty', 'event list half'),
  operation: fc.constant('events'),
  lasts: fc.constant(20 * second),
} as const)

/** Events that are on their way to a flow when Node-RED ends. */
const interruptedDelivery: fc.Arbitrary<Step[]> = fc
  .record({
    moments: fc.tuple(moment, moment, moment),
    first: eventful,
    ending,
    firstList: fc.option(thinList, { freq: 2 }),
    next: eventful,
    again: fc.option(ending),
  })
  .map(({ moments: [before, between, after], first, ending, firstList, next, again }) => [
    ...first.map((deed) => ({ after: before, deed })),
    { after: 0, deed: ending },
    ...(firstList === null ? [] : [{ after: 0, deed: firstList }]),
    ...next.map((deed) => ({ after: between, deed })),
    ...(again === null ? [] : [{ after: 0, deed: again }]),
    { after, deed: { what: 'ask' } },
  ])

/** Events that the flow had when Node-RED was killed, and that only the second list after it shows. */
const hiddenAfterKill: fc.Arbitrary<Step[]> = fc
  .record({ before: moment, first: reports, lasts: off })
  .map(({ before, first, lasts }) => [
    { after: before, deed: first },
    { after: 0, deed: { what: 'kill', when: 'events come', steps: 1000, lasts } },
    {
      after: 0,
      deed: {
        what: 'service fault',
        fault: 'event list empty',
        operation: 'events',
        lasts: 20 * second,
      },
    },
    { after: 70 * second, deed: { what: 'ask' } },
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

/** Milliseconds in which all nodes have read what has happened, and noted it. */
const noted = fc.constantFrom(80 * second, 150 * second)

/** A start that can read only an older position, or none. */
const damagedPosition: fc.Arbitrary<Step[]> = fc
  .record({
    pauses: fc.tuple(noted, noted, noted),
    file: fc.constantFrom('cursor', 'cursor and its copy'),
    events: fc.tuple(reports, eventful, reports),
    ending: fc.oneof(fc.record({ what: fc.constant('restart'), lasts: off } as const), ending),
  } as const)
  .map(({ pauses: [first, second, third], file, events: [before, between, after], ending }) => [
    { after: 0, deed: before },
    ...between.map((deed) => ({ after: first, deed })),
    { after: second, deed: { what: 'file unreadable', file, lasts: 10 * minute } },
    { after: 0, deed: ending },
    { after: third, deed: after },
  ])

/** A list that loses events, or has other times for a while. */
const changedList: fc.Arbitrary<Step[]> = fc
  .record({
    pauses: fc.tuple(noted, noted),
    change: fc.constantFrom<Deed>(
      { what: 'events lost', count: 1 },
      { what: 'events lost', count: 2 },
      { what: 'service fault', fault: movedTimes, operation: undefined, lasts: 2 * minute },
    ),
    after: reports,
  })
  .map(({ pauses: [before, between], change, after }) => [
    // Of a few events nothing tells that only their times have changed.
    { after: 0, deed: { what: 'reports', count: 12, late: 0 } },
    { after: before, deed: change },
    { after: between, deed: after },
    // An event that is on its way at a kill is known by its time.
    { after: 150 * second, deed: { what: 'ask' } },
  ])

/** The scenes of the delivery by name. */
export const deliveryScenes: Readonly<Record<string, fc.Arbitrary<Step[]>>> = {
  interruptedDelivery,
  hiddenAfterKill,
  unnotedDelivery,
  lateReports,
  damagedPosition,
  changedList,
}

/** An arbitrary for events that must reach the flow, whatever happens to Node-RED and its disk. */
export const deliveryScene: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 3, arbitrary: interruptedDelivery },
  { weight: 2, arbitrary: hiddenAfterKill },
  { weight: 1, arbitrary: unnotedDelivery },
  { weight: 1, arbitrary: lateReports },
  { weight: 1, arbitrary: damagedPosition },
  { weight: 1, arbitrary: changedList },
)

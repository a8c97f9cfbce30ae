import fc from 'fast-check'
import { hour, minute, second } from '../../../src/duration.ts'
import { listOperations } from '../../disturbances/incomplete-answer.ts'
import { type Deed, deployedChanges, people } from '../life.ts'
import { offset } from './any-house.ts'

/** The id of a partition of the sample house; mostly that of House. */
export const partition = fc.constantFrom(1, 1, 1, 2, 3)

/** A person who has a code. */
export const person = fc.constantFrom(...people)

/** The number of a detector of the sample house. */
export const zone = fc.integer({ min: 1, max: 12 })

/** Milliseconds between two deeds: within a poll, some polls, or long after. */
export const pause = fc.oneof(
  { weight: 24, arbitrary: fc.integer({ min: 0, max: 6 }).map((count) => count * 10 * second) },
  { weight: 8, arbitrary: fc.integer({ min: 3, max: 8 }).map((count) => count * 30 * second) },
  { weight: 1, arbitrary: fc.constantFrom(8 * minute, 20 * minute) },
)

/** Returns an arbitrary for a clock of the panel that is set, for ever. */
export function panelClock(by: fc.Arbitrary<number>): fc.Arbitrary<Deed> {
  return fc.record({
    what: fc.constant('panel clock'),
    offset: by,
    lasts: fc.constant(Number.POSITIVE_INFINITY),
  } as const)
}

/** An arbitrary for deeds of people and for what detectors notice. */
export const happening: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    what: fc.constant('arm'),
    partition,
    state: fc.constantFrom('AWAY', 'HOME'),
    person,
    exitDelay: fc.constantFrom(0, 30),
  } as const),
  fc.record({
    what: fc.constant('disarm'),
    partition,
    person,
    isThreatened: fc.constantFrom(false, false, false, true),
  } as const),
  fc.record({ what: fc.constantFrom('open', 'open', 'close'), zone } as const),
  fc.record({
    what: fc.constantFrom('tamper', 'tamper ends', 'battery low', 'battery replaced'),
    zone,
  } as const),
  fc.record({ what: fc.constantFrom('detector silent', 'detector heard'), zone } as const),
  fc.record({ what: fc.constantFrom('bypass', 'soak'), zone, enabled: fc.boolean() } as const),
  fc.record({
    what: fc.constant('temperature'),
    zone: fc.constantFrom(4, 5, 12),
    value: fc.integer({ min: 5, max: 30 }),
  } as const),
  fc.record({
    what: fc.constantFrom('panic button', 'alarms time out', 'power fails', 'power returns', 'ask'),
  } as const),
  fc.record({ what: fc.constantFrom('radio jammed', 'radio free') } as const),
  fc.record({ what: fc.constantFrom('installer menu', 'panel flaps') } as const),
  fc.record({
    what: fc.constant('detector enrolled'),
    name: fc.constantFrom('Attic window', 'Garden door'),
  } as const),
  fc.record({
    what: fc.constantFrom('line fails', 'line returns'),
    line: fc.constantFrom('broadband', 'mobile'),
  } as const),
)

/** An arbitrary for deeds that keep nodes from knowing, or from telling. */
export const disturbance: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    what: fc.constant('incomplete answer'),
    operation: fc.constantFrom(...listOperations),
    lack: fc.oneof(fc.nat({ max: 20 }), fc.constant('all' as const)),
  } as const),
  fc.record({
    what: fc.constant('late events'),
    seconds: fc.constantFrom(45, 90, 300),
    lasts: fc.constantFrom(2 * minute, 10 * minute),
  } as const),
  fc.record({ what: fc.constant('panel offline'), lasts: fc.constantFrom(minute, 5 * minute) } as const),
  fc.record({
    what: fc.constant('machine clock'),
    offset,
    lasts: fc.constantFrom(3 * minute, 10 * minute, Number.POSITIVE_INFINITY),
  } as const),
  // One that is put back among events makes late ones of those that follow: nothing tells them apart.
  panelClock(fc.constantFrom(hour, 2 * hour)),
  fc.record({ what: fc.constant('restart'), lasts: fc.constantFrom(0, 30 * second, 4 * minute) } as const),
  fc.record({
    what: fc.constant('node off'),
    how: fc.constantFrom('disabled', 'no credentials', 'no serial'),
    lasts: fc.constantFrom(2 * minute, 4 * minute),
  } as const),
)

/** Milliseconds for which Node-RED, or its machine, is off. */
const off = fc.constantFrom(second, 30 * second, 4 * minute)

/** An arbitrary for what happens to Node-RED and its machine. */
export const nodeRedDeed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ what: fc.constantFrom('kill', 'power cut'), steps: fc.nat({ max: 120 }), lasts: off } as const),
  fc.record({ what: fc.constant('stall'), lasts: fc.constantFrom(second, 20 * second, 3 * minute) } as const),
  fc.record({
    what: fc.constant('deploy'),
    kind: fc.constantFrom('full', 'flows', 'nodes', 'reload'),
    change: fc.constantFrom(...deployedChanges),
  } as const),
)

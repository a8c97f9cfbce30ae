import fc from 'fast-check'
import { minute } from '../../../src/duration.ts'
import type { Deed, Step } from '../life.ts'
import { sharedZone } from '../world/deeds.ts'
import { accountScene } from './account-scenes.ts'
import { alarmScene } from './alarm-scenes.ts'
import { commanding } from './any-command.ts'
import { disturbance, happening, nodeRedDeed, partition, pause, person } from './any-deed.ts'
import { diskFault, failingDisk } from './any-disk-fault.ts'
import { anyServiceFault } from './any-service-fault.ts'
import { deliveryScene } from './delivery-scenes.ts'

/** Contacts and glass of the house, without an entry delay. */
const perimeter = fc.constantFrom(2, 3, 8)

function stepOf(deed: fc.Arbitrary<Deed>): fc.Arbitrary<Step[]> {
  return fc.record({ after: pause, deed }).map((step) => [step])
}

/** An alarm at an armed house, until somebody disarms, the siren ends by itself, or nobody comes. */
const burglary: fc.Arbitrary<Step[]> = fc
  .record({
    pauses: fc.array(pause, { minLength: 4, maxLength: 4 }),
    state: fc.constantFrom('AWAY', 'HOME'),
    people: fc.tuple(person, person),
    zone: perimeter,
    isClosed: fc.boolean(),
    end: fc.constantFrom('disarm', 'alarms time out', 'none'),
    isThreatened: fc.constantFrom(false, false, true),
  } as const)
  .map(({ pauses, state, people: [first, second], zone, isClosed, end, isThreatened }) => {
    const deeds: (Deed | null)[] = [
      { what: 'arm', partition: 1, state, person: first, exitDelay: 0 },
      { what: 'open', zone },
      isClosed ? { what: 'close', zone } : null,
      end === 'disarm'
        ? { what: 'disarm', partition: 1, person: second, isThreatened }
        : end === 'none'
          ? null
          : { what: end },
    ]
    return deeds.flatMap((deed, at) => (deed === null ? [] : { after: pauses[at] ?? 0, deed }))
  })

/** An alarm of the zone of two partitions, and the disarm of one of them, which ends it for both. */
const sharedAlarm: fc.Arbitrary<Step[]> = fc
  .record({ pauses: fc.array(pause, { minLength: 4, maxLength: 4 }), people: fc.tuple(person, person) })
  .map(({ pauses, people: [first, second] }) => {
    const arm = { what: 'arm', state: 'AWAY', person: first, exitDelay: 0 } as const
    const deeds: Deed[] = [
      { ...arm, partition: 1 },
      { ...arm, partition: 2 },
      { what: 'open', zone: sharedZone },
      { what: 'disarm', partition: 2, person: second, isThreatened: false },
    ]
    return deeds.map((deed, at) => ({ after: pauses[at] ?? 0, deed }))
  })

/** A zone that is open when somebody arms, and raises alarms or is left out, as the panel does: it is closed and opened again. */
const openAtArming: fc.Arbitrary<Step[]> = fc
  .record({
    pauses: fc.array(pause, { minLength: 5, maxLength: 5 }),
    person,
    zone: perimeter,
    state: fc.constantFrom('AWAY', 'HOME'),
    exitDelay: fc.constantFrom(0, 30),
  } as const)
  .map(({ pauses, person, zone, state, exitDelay }) => {
    const deeds: Deed[] = [
      { what: 'open', zone },
      { what: 'arm', partition: 1, state, person, exitDelay },
      { what: 'close', zone },
      { what: 'open', zone },
      { what: 'disarm', partition: 1, person, isThreatened: false },
    ]
    return deeds.map((deed, at) => ({ after: pauses[at] ?? 0, deed }))
  })

/** A zone that is opened and closed again and again, perhaps while the service does not hear the panel. */
const swinging: fc.Arbitrary<Step[]> = fc
  .record({
    pauses: fc.array(pause, { minLength: 7, maxLength: 7 }),
    person,
    zone: perimeter,
    isOffline: fc.constantFrom(false, false, true),
    isDisarmed: fc.boolean(),
  })
  .map(({ pauses, person, zone, isOffline, isDisarmed }) => {
    const pass = [
      { what: 'open', zone },
      { what: 'close', zone },
    ] as const
    const deeds: Deed[] = [
      ...(isOffline ? [{ what: 'panel offline', lasts: 5 * minute } as const] : []),
      { what: 'arm', partition: 1, state: 'HOME', person, exitDelay: 0 },
      ...pass,
      ...pass,
      ...(isDisarmed ? [{ what: 'disarm', partition: 1, person, isThreatened: false } as const] : []),
    ]
    return deeds.map((deed, at) => ({ after: pauses[at] ?? 0, deed }))
  })

/** Somebody comes for a moment while it is not known yet who left. */
const visit: fc.Arbitrary<Step[]> = fc
  .record({ pauses: fc.tuple(pause, pause), people: fc.tuple(person, person), partition })
  .map(({ pauses: [before, between], people: [first, second], partition }) => [
    { after: before, deed: { what: 'arm', partition, state: 'AWAY', person: first, exitDelay: 0 } },
    { after: between, deed: { what: 'disarm', partition, person: second, isThreatened: false } },
  ])

/** An arbitrary for what happens together, in order. */
export const anyScene = fc.oneof(
  { weight: 4, arbitrary: stepOf(happening) },
  { weight: 4, arbitrary: stepOf(disturbance) },
  { weight: 3, arbitrary: stepOf(nodeRedDeed) },
  { weight: 3, arbitrary: stepOf(anyServiceFault) },
  { weight: 1, arbitrary: stepOf(diskFault) },
  { weight: 1, arbitrary: failingDisk },
  { weight: 2, arbitrary: accountScene },
  { weight: 2, arbitrary: burglary },
  { weight: 1, arbitrary: sharedAlarm },
  { weight: 1, arbitrary: openAtArming },
  { weight: 1, arbitrary: swinging },
  { weight: 1, arbitrary: visit },
  { weight: 8, arbitrary: alarmScene },
  { weight: 3, arbitrary: deliveryScene },
  { weight: 6, arbitrary: commanding },
)

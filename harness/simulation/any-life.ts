import fc from 'fast-check'
import { day, hour, minute, second } from '../../src/duration.ts'
import { factoryOptions, optionValues, type PanelOptions } from '../../src/simulator/world/panel-options.ts'
import { listOperations } from '../disturbances/incomplete-answer.ts'
import { sharedZone } from './deeds.ts'
import { type Deed, type House, type Life, people, type Step, type WrongClock } from './life.ts'

/** Some minutes before Berlin puts its clocks back in 2026, in the first of two equal hours. */
const beforeRepeatedHour = Date.UTC(2026, 9, 25, 0, 40)

const onSomeDay = Date.UTC(2026, 10, 20, 12)

const partition = fc.constantFrom(1, 1, 1, 2, 3)
const person = fc.constantFrom(...people)
const zone = fc.integer({ min: 1, max: 12 })
/** Contacts and glass of the house, without an entry delay. */
const perimeter = fc.constantFrom(2, 3, 8)

/** Milliseconds between two deeds: within a poll, some polls, or long after. */
const pause = fc.oneof(
  { weight: 24, arbitrary: fc.integer({ min: 0, max: 6 }).map((count) => count * 10 * second) },
  { weight: 8, arbitrary: fc.integer({ min: 3, max: 8 }).map((count) => count * 30 * second) },
  { weight: 1, arbitrary: fc.constantFrom(8 * minute, 20 * minute) },
)

const offset = fc.constantFrom(2 * hour, -2 * hour, hour, -hour, -30 * day)

const clockAtStart: fc.Arbitrary<WrongClock> = fc.record({
  offset,
  lasts: fc.constantFrom(3 * minute, 10 * minute, Number.POSITIVE_INFINITY),
})

/** Detectors of a large house besides the usual ones: more than an incident has room for. */
const many = 105

/** The kinds of houses, by what they have for certain; all else is drawn. */
export const kindsOfHouses = {
  houses: {},
  'houses with Home Assistant': { hasHomeAssistant: true },
  'houses in the hour that clocks repeat': { startsAt: beforeRepeatedHour, timeZone: 'Europe/Berlin' },
  'large houses': { moreDetectors: many },
} as const satisfies Readonly<Record<string, Partial<House>>>

/** A kind of houses. */
export type KindOfHouses = keyof typeof kindsOfHouses

const place = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ startsAt: onSomeDay, timeZone: 'UTC' } as const) },
  { weight: 1, arbitrary: fc.constant(kindsOfHouses['houses in the hour that clocks repeat']) },
)

/** The options that installers set: mostly as from the factory. */
const panelOptions: fc.Arbitrary<Partial<PanelOptions>> = fc.record({
  abortTime: fc.constantFrom(0, factoryOptions.abortTime, factoryOptions.abortTime, 120),
  cancelWindow: fc.constantFrom(factoryOptions.cancelWindow, factoryOptions.cancelWindow, 0, 60, 14_400),
  exitMode: fc.constantFrom(...optionValues.exitMode),
  bypassMode: fc.constantFrom(...optionValues.bypassMode),
  keepsBypass: fc.boolean(),
  swingerStop: fc.constantFrom(...optionValues.swingerStop),
  notReadyBy: fc.constantFrom(...optionValues.notReadyBy),
  reports: fc.constantFrom('all', 'all', ...optionValues.reports),
})

function anyHouse(kind: KindOfHouses): fc.Arbitrary<House> {
  return fc
    .record({
      place,
      hasAlarmList: fc.constantFrom(true, true, true, false),
      openAfter: fc.constantFrom(0, 0, 5),
      remindAfter: fc.constantFrom(5, 60),
      moreDetectors: fc.oneof(
        { weight: 40, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.constant(many) },
      ),
      panelOptions,
      hasSharedZone: fc.boolean(),
      hasHomeAssistant: fc.constantFrom(true, false, false, false, false),
      clockAtStart: fc.option(clockAtStart, { freq: 3 }),
    })
    .map(({ place, ...house }) => ({
      ...place,
      ...house,
      // Alarms that are reported together must have room in the list of events.
      ...(house.moreDetectors > 0 && { panelOptions: { ...house.panelOptions, abortTime: 0 } }),
      // Else nothing would tell an alarm.
      hasAlarmList: house.hasAlarmList || house.panelOptions.reports === 'none',
      ...kindsOfHouses[kind],
    }))
}

function panelClock(by: fc.Arbitrary<number>): fc.Arbitrary<Deed> {
  return fc.record({
    what: fc.constant('panel clock'),
    offset: by,
    lasts: fc.constant(Number.POSITIVE_INFINITY),
  } as const)
}

/** An arbitrary for deeds of people and for what detectors notice. */
const happening: fc.Arbitrary<Deed> = fc.oneof(
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
)

/** An arbitrary for deeds that keep nodes from knowing, or from telling. */
const disturbance: fc.Arbitrary<Deed> = fc.oneof(
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

const anyScene = fc.oneof(
  { weight: 4, arbitrary: stepOf(happening) },
  { weight: 4, arbitrary: stepOf(disturbance) },
  { weight: 2, arbitrary: burglary },
  { weight: 1, arbitrary: sharedAlarm },
  { weight: 1, arbitrary: openAtArming },
  { weight: 1, arbitrary: swinging },
  { weight: 1, arbitrary: visit },
)

/** The detectors of a large house that raise an alarm together: the list of events has room for them and their restores. */
const together = 21

/** Alarms of all the detectors of a large house. */
function massAlarm(moreDetectors: number): Step[] {
  if (moreDetectors === 0) return []
  const count = Math.ceil(moreDetectors / together)
  return [
    { after: 0, deed: { what: 'arm', partition: 1, state: 'AWAY', person: 'Ben', exitDelay: 0 } },
    ...Array.from({ length: count }, (_, nth) => ({
      after: minute + 10 * second,
      deed: { what: 'alarms of detectors', from: nth * together, count: together } as const,
    })),
  ]
}

/** Returns an arbitrary for lives: a house, and what happens in it, with it and to its nodes. */
export function anyLife(kind: KindOfHouses): fc.Arbitrary<Life> {
  return fc
    .record({
      house: anyHouse(kind),
      clock: fc.option(panelClock(fc.constantFrom(-hour, -2 * hour)), { freq: 4 }),
      scenes: fc.array(anyScene, { minLength: 3, maxLength: 7, size: 'max' }),
    })
    .map(({ house, clock, scenes }) => ({
      house,
      steps: [
        ...(clock === null ? [] : [{ after: 0, deed: clock }]),
        ...massAlarm(house.moreDetectors),
        ...scenes.flat(),
      ],
    }))
}

import fc from 'fast-check'
import { day, hour, minute } from '../../../src/duration.ts'
import {
  factoryOptions,
  optionValues,
  type PanelOptions,
} from '../../../src/simulator/world/panel-options.ts'
import type { House, WrongClock } from '../life.ts'

/** Some minutes before Berlin puts its clocks back in 2026, in the first of two equal hours. */
const beforeRepeatedHour = Date.UTC(2026, 9, 25, 0, 40)

const onSomeDay = Date.UTC(2026, 10, 20, 12)

/** Milliseconds by which a clock that people or a machine have set is ahead. */
export const offset = fc.constantFrom(2 * hour, -2 * hour, hour, -hour, -30 * day)

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
  'houses without fixed intervals': { hasFixedIntervals: false },
  'houses with two instances': { instances: 2, moreDetectors: 0 },
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
  // Most commands to bypass need it.
  bypassMode: fc.constantFrom('manual', 'manual', ...optionValues.bypassMode),
  keepsBypass: fc.boolean(),
  swingerStop: fc.constantFrom(...optionValues.swingerStop),
  notReadyBy: fc.constantFrom(...optionValues.notReadyBy),
  reports: fc.constantFrom('all', 'all', ...optionValues.reports),
})

/** Returns an arbitrary for houses of a kind. */
export function anyHouse(kind: KindOfHouses): fc.Arbitrary<House> {
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
      hasNotes: fc.constantFrom(true, true, false),
      isFirstListEmpty: fc.constantFrom(false, false, true),
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
      // By a clock that is days behind, all that an empty list lacks has happened since.
      isFirstListEmpty: house.isFirstListEmpty && (house.clockAtStart?.offset ?? 0) > -day,
      instances: 1,
      hasChainTest: false,
      hasFixedIntervals: true,
      requestsPerMinute: 60,
      ...kindsOfHouses[kind],
    }))
}

import { type Deed, type House, type Life, usualHouse } from './life.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

function life(house: Partial<House>, ...steps: (readonly [minutes: number, deed: Deed])[]): Life {
  return {
    house: { ...usualHouse, ...house },
    steps: steps.map(([minutes, deed]) => ({ after: minutes * minute, deed })),
  }
}

const arm = { what: 'arm', partition: 1, state: 'AWAY', person: 'Anna', exitDelay: 0 } as const
const disarm = { what: 'disarm', partition: 1, person: 'Anna', isThreatened: false } as const
const kitchen = 2
const bedroom = 3
const landing = 6
const winterGarden = 8

/** The detectors of a large house that raise an alarm together: the list of events has room for them and their restores. */
const together = 21

/** The lives in which something untrue was told once, by the sentence that must be true. */
export const directedLives: Readonly<Record<string, Life>> = {
  'lists of devices without an open window, and without anything, end no condition': life(
    {},
    [1, { what: 'open', zone: kitchen }],
    [2, { what: 'incomplete answer', operation: 'devices', lack: 3 }],
    [4, { what: 'incomplete answer', operation: 'devices', lack: 'all' }],
  ),
  'a list without an alarm, and a state without its partition, end no incident': life(
    {},
    [1, arm],
    [1, { what: 'open', zone: kitchen }],
    [3, { what: 'incomplete answer', operation: 'alarms', lack: 'all' }],
    [3, { what: 'incomplete answer', operation: 'status', lack: 0 }],
  ),
  'Home Assistant shows no old state of a node that is off, or whose panel cannot be opened': life(
    { hasHomeAssistant: true },
    [2, arm],
    [1, { what: 'node off', how: 'disabled', lasts: 2 * minute }],
    [1, { what: 'node off', how: 'no credentials', lasts: 2 * minute }],
    [1, { what: 'node off', how: 'no serial', lasts: 2 * minute }],
    [0, disarm],
  ),
  'Home Assistant shows no old state of a panel that cannot be opened right after a restart of the flows':
    life(
      { hasHomeAssistant: true },
      [1, { what: 'restart', lasts: 0 }],
      [0, { what: 'node off', how: 'no serial', lasts: 2 * minute }],
    ),
  'a burglary that comes after another one is not told as over, if the clock of the panel is behind': life(
    {},
    [0, { what: 'panel clock', offset: -hour, lasts: Number.POSITIVE_INFINITY }],
    [1, arm],
    [1, { what: 'open', zone: kitchen }],
    [0.5, { what: 'close', zone: kitchen }],
    [2, { what: 'alarms time out' }],
    [30, { what: 'open', zone: bedroom }],
  ),
  'the disarm and the end of a trouble in the repeated hour come after what they end': life(
    { startsAt: Date.UTC(2026, 9, 25, 0, 50), timeZone: 'Europe/Berlin', hasAlarmList: false },
    [1, arm],
    [3, { what: 'open', zone: kitchen }],
    [2, { what: 'power fails' }],
    [9, disarm],
    [1, { what: 'power returns' }],
  ),
  'an alarm in the repeated hour ends that the list of alarms shows only in memory': life(
    { startsAt: Date.UTC(2026, 9, 25, 0, 50), timeZone: 'Europe/Berlin' },
    [1, arm],
    [12, { what: 'open', zone: kitchen }],
    [1 / 6, { what: 'alarms time out' }],
  ),
  'an alarm of the events that a disarming ends does not end in an armed house': life(
    { hasAlarmList: false },
    [1, { ...disarm, partition: 2, isThreatened: true }],
    [1, { what: 'machine clock', offset: -30 * day, lasts: 10 * minute }],
    [41 / 6, { ...arm, state: 'HOME' }],
    [2 / 3, { what: 'open', zone: winterGarden }],
    [8 / 3, disarm],
  ),
  'an alarm is told although the clock was ahead at the first start': life(
    { clockAtStart: { offset: 2 * day, lasts: hour } },
    [62, arm],
    [1, { what: 'open', zone: kitchen }],
  ),
  'nobody is named for what somebody else has done a moment ago': life(
    {},
    [2, { what: 'late events', seconds: 300, lasts: 10 * minute }],
    [1, arm],
    [2, disarm],
    [1.4, { what: 'ask' }],
  ),
  'a clock that was ahead for a moment delays no condition and no reminder': life(
    { openAfter: 5, remindAfter: 5, clockAtStart: { offset: 2 * hour, lasts: 3 * minute } },
    [0, { what: 'open', zone: kitchen }],
    [0, { what: 'battery low', zone: bedroom }],
    [9, { what: 'ask' }],
  ),
  'alarms of a hundred detectors swallow no further alarm and no disarm': life(
    { moreDetectors: 5 * together, hasAlarmList: false },
    [1, arm],
    ...[0, 1, 2, 3, 4].map(
      (nth) => [1.2, { what: 'alarms of detectors', from: nth * together, count: together }] as const,
    ),
    [1.2, { what: 'open', zone: kitchen }],
    [0.2, { what: 'close', zone: kitchen }],
    [1, disarm],
    [1, { what: 'open', zone: landing }],
  ),
  'an opened case right after a disarm is not told as over when the state shows the disarm': life(
    {},
    [0, arm],
    [1.5, disarm],
    [1 / 6, { what: 'tamper', zone: kitchen }],
    [3, { what: 'ask' }],
  ),
  'a fire right after a disarm is not told as over without a list of alarms': life(
    { hasAlarmList: false, hasHomeAssistant: true },
    [0, arm],
    [1.5, disarm],
    [1 / 6, { what: 'open', zone: landing }],
    [3, { what: 'ask' }],
  ),
  'the last person is named after a start whose event has come, and the next one when theirs comes': life(
    {},
    [1, { what: 'late events', seconds: 300, lasts: 10 * minute }],
    [0, arm],
    [1, disarm],
    [0.5, { what: 'restart', lasts: minute / 2 }],
    [1, { what: 'ask' }],
    [10, { what: 'ask' }],
  ),
  'an alarm is told that a panel reports after an outage before the arming, which was first': life(
    { hasAlarmList: false, hasHomeAssistant: true },
    [1, { what: 'panel offline', lasts: 5 * minute }],
    [1, arm],
    [0.5, { what: 'open', zone: kitchen }],
    [1, { what: 'close', zone: kitchen }],
    [6, { what: 'ask' }],
  ),
  'a window that is closed again ends no alarm of a house whose arming is not reported': life(
    { hasAlarmList: false, panelOptions: { reports: 'all-but-open-close' } },
    [1, { ...arm, state: 'HOME' }],
    [2, { what: 'open', zone: kitchen }],
    [1 / 3, { what: 'close', zone: kitchen }],
    [3, { what: 'ask' }],
    [1, disarm],
    [3, { what: 'ask' }],
  ),
  'an alarm that was over before its event came rings no second time': life(
    {},
    [1 / 6, arm],
    [2, { what: 'open', zone: kitchen }],
    [1 / 3, { what: 'close', zone: kitchen }],
    [0, { what: 'alarms time out' }],
  ),
}

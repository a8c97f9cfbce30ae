import type { Deed, House, Life } from './life.ts'

const minute = 60_000
const hour = 60 * minute

/** A usual house on a day without a change of the clocks. */
export const usualHouse: House = {
  startsAt: Date.UTC(2026, 10, 20, 12),
  timeZone: 'UTC',
  hasAlarmList: true,
  openAfter: 0,
  remindAfter: 60,
  moreDetectors: 0,
  hasHomeAssistant: false,
  clockAtStart: null,
}

function life(house: Partial<House>, ...steps: (readonly [minutes: number, deed: Deed])[]): Life {
  return {
    house: { ...usualHouse, ...house },
    steps: steps.map(([minutes, deed]) => ({ after: minutes * minute, deed })),
  }
}

const arm = { what: 'arm', partition: 1, state: 'AWAY', person: 'Anna', exitDelay: 0 } as const
const disarm = { what: 'disarm', partition: 1, person: 'Anna', isThreatened: false } as const
const kitchen = 2

/** The lives in which something untrue was told once, by the sentence that must be true. */
export const directedLives: Readonly<Record<string, Life>> = {
  'lists of devices without an open window, and without anything, end no condition': life(
    {},
    [1, { what: 'open', zone: kitchen }],
    [2, { what: 'incomplete answer', operation: 'devices', lack: 3 }],
    [4, { what: 'incomplete answer', operation: 'devices', lack: 'all' }],
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
    [0, { what: 'battery low', zone: 3 }],
    [9, { what: 'ask' }],
  ),
}

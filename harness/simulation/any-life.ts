import fc from 'fast-check'
import { hour, minute, second } from '../../src/duration.ts'
import { panelClock } from './arbitraries/any-deed.ts'
import { anyHouse, type KindOfHouses } from './arbitraries/any-house.ts'
import { anyScene } from './arbitraries/any-scene.ts'
import type { Life, Step } from './life.ts'

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
      order: fc.nat(),
      clock: fc.option(panelClock(fc.constantFrom(-hour, -2 * hour)), { freq: 4 }),
      scenes: fc.array(anyScene, { minLength: 3, maxLength: 7, size: 'max' }),
    })
    .map(({ house, order, clock, scenes }) => ({
      house,
      order,
      steps: [
        ...(clock === null ? [] : [{ after: 0, deed: clock }]),
        ...massAlarm(house.moreDetectors),
        ...scenes.flat(),
      ],
    }))
}

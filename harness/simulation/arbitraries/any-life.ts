import fc from 'fast-check'
import { hour, minute, second } from '../../../src/duration.ts'
import { isInstanceDeed } from '../instance/instances.ts'
import type { Life, Step } from '../life.ts'
import { panelClock } from './any-deed.ts'
import { anyHouse, type KindOfHouses } from './any-house.ts'
import { anyScene } from './any-scene.ts'
import { chainScene } from './chain-scenes.ts'
import { rehearsalScene } from './rehearsal-scenes.ts'

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

/** The scenes that take long to live, or need a node that few houses have. */
const rareScene = fc.oneof({ weight: 1, arbitrary: rehearsalScene }, { weight: 1, arbitrary: chainScene })

/** The number of instances: mostly one, whose life is the shortest to live. */
const instances = fc.oneof(
  { weight: 33, arbitrary: fc.constant(1) },
  { weight: 5, arbitrary: fc.constant(2) },
  { weight: 2, arbitrary: fc.constant(3) },
)

/** Lets deeds that happen to an instance happen to one of several. @param places numbers that choose it, in turn */
function inInstances(steps: readonly Step[], count: number, places: readonly number[]): readonly Step[] {
  if (count === 1) return steps
  return steps.map(({ after, deed }, nth) => {
    const instance = (places[nth % places.length] ?? 0) % count
    return { after, deed: instance > 0 && isInstanceDeed(deed) ? { ...deed, instance } : deed }
  })
}

/** Returns an arbitrary for lives: a house, and what happens in it, with it and to its nodes. */
export function anyLife(kind: KindOfHouses): fc.Arbitrary<Life> {
  return fc
    .record({
      house: anyHouse(kind),
      order: fc.nat(),
      clock: fc.option(panelClock(fc.constantFrom(-hour, -2 * hour)), { freq: 4 }),
      scenes: fc.array(anyScene, { minLength: 3, maxLength: 7, size: 'max' }),
      // At the end: all else is drawn as for one instance.
      instances,
      places: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
      limit: fc.constantFrom(60, 30),
      rare: fc.oneof(
        { weight: 7, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.record({ scene: rareScene, at: fc.nat({ max: 7 }) }) },
      ),
    })
    .map(({ house, order, clock, scenes, instances, places, limit, rare }) => {
      const count = house.instances > 1 || house.moreDetectors > 0 ? house.instances : instances
      const steps = [
        ...(clock === null ? [] : [{ after: 0, deed: clock }]),
        ...massAlarm(house.moreDetectors),
        ...(rare === null ? scenes : scenes.toSpliced(rare.at, 0, rare.scene)).flat(),
      ]
      const hasChainTest = steps.some(({ deed: { what } }) => what === 'chain test')
      // A list of events has no room for the alarms of many detectors that are polled late.
      const requestsPerMinute = house.moreDetectors > 0 ? house.requestsPerMinute : limit
      return {
        house: { ...house, instances: count, requestsPerMinute, hasChainTest },
        order,
        steps: inInstances(steps, count, places),
      }
    })
}

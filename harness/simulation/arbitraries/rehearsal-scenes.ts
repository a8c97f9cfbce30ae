import fc from 'fast-check'
import { rehearsalScenes } from '../../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { Deed, Step } from '../life.ts'
import { happening, nodeRedDeed, pause } from './any-deed.ts'
import { diskFault } from './any-disk-fault.ts'
import { anyServiceFault } from './any-service-fault.ts'

const begin: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('rehearsal'),
  scene: fc.constantFrom(...rehearsalScenes),
  faster: fc.boolean(),
  homeAssistant: fc.boolean(),
} as const)

/** A command that a flow sends back in a rehearsal, or after it. */
const command: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('rehearsed command'),
  mark: fc.constantFrom<true | 'true' | 1>(true, 'true', 1),
  command: fc.oneof(
    fc.record({
      action: fc.constant('set_state'),
      partition: fc.constantFrom(1, 2),
      state: fc.constantFrom('AWAY', 'HOME', 'DISARM'),
    } as const),
    fc.record({ action: fc.constant('bypass'), zone: fc.constantFrom(2, 3), enabled: fc.boolean() } as const),
    fc.record({ action: fc.constantFrom('siren_on', 'siren_off') } as const),
  ),
} as const)

/** Milliseconds between two deeds in a rehearsal. */
const moment = fc.integer({ min: 0, max: 10 }).map((count) => count * 5000)

const inIt: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: command },
  { weight: 2, arbitrary: fc.constant({ what: 'rehearsal stops' } as const) },
  { weight: 2, arbitrary: nodeRedDeed },
  { weight: 2, arbitrary: happening },
  { weight: 1, arbitrary: anyServiceFault },
  { weight: 1, arbitrary: diskFault },
  { weight: 1, arbitrary: begin },
)

/** An arbitrary for a rehearsal in a house at rest, and what happens in it. */
export const rehearsalScene: fc.Arbitrary<Step[]> = fc
  .record({
    before: pause,
    resting: fc.constantFrom(5000, 70_000, 130_000),
    begin,
    later: fc.array(fc.tuple(moment, inIt), { maxLength: 3 }),
  })
  .map(({ before, resting, begin, later }) => [
    { after: before, deed: { what: 'disarm', partition: 1, person: 'Anna', isThreatened: false } },
    { after: resting, deed: begin },
    ...later.map(([after, deed]) => ({ after, deed })),
  ])

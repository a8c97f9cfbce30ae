import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import { type DiskDeed, type KeptFile, keptFiles, type Step } from '../life.ts'
import { happening, nodeRedDeed, pause } from './any-deed.ts'

/** Milliseconds for which a disk fails. */
const lasts = fc.constantFrom(30 * second, 3 * minute, 10 * minute, 40 * minute)

/** The files that each house has. */
const usual = (Object.keys(keptFiles) as KeptFile[]).filter((file) => file !== 'chain test')

/** An arbitrary for disks that fail. */
export const diskFault: fc.Arbitrary<DiskDeed> = fc.oneof(
  fc.record({ what: fc.constant('disk full'), room: fc.constantFrom(0, 40, 3000), lasts } as const),
  fc.record({ what: fc.constant('disk read-only'), lasts } as const),
  fc.record({ what: fc.constant('disk slow'), delay: fc.constantFrom(100, 500), lasts } as const),
  fc.record({
    what: fc.constant('file unreadable'),
    file: fc.constantFrom(...usual),
    lasts,
  } as const),
  fc.record({
    what: fc.constant('folder denied'),
    access: fc.constantFrom('change', 'access'),
    lasts,
  } as const),
)

/** A disk that fails, what happens meanwhile, and what happens to Node-RED or its machine then. */
export const failingDisk: fc.Arbitrary<Step[]> = fc
  .tuple(diskFault, happening, nodeRedDeed, happening)
  .chain((deeds) =>
    fc
      .tuple(pause, pause, pause, pause)
      .map((pauses) => deeds.map((deed, at) => ({ after: pauses[at] ?? 0, deed }))),
  )

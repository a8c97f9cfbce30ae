import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'
import { installPalette, own, peers } from '../palettes.ts'

/** The disk space of an installation. */
interface Size {
  bytes: number
  packages: number
}

/** Disk space of this package with all its dependencies, compared with the smallest of the peers. */
export default async function installedSize(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const ours = await sizeOf(await installPalette(own, surroundings))
  const sizes: Size[] = []
  for (const peer of peers) sizes.push(await sizeOf(await installPalette(peer, surroundings)))
  const least = (what: keyof Size) => Math.min(...sizes.map((size) => size[what]))
  const megabytes = (bytes: number) => bytes / 1e6
  return [
    {
      what: 'on disk',
      ours: megabytes(ours.bytes),
      theirs: megabytes(least('bytes')),
      unit: 'MB',
      goal: 0.6,
    },
    { what: 'packages', ours: ours.packages, theirs: least('packages'), unit: '', goal: 0.55 },
  ]
}

/** Returns the size of an installation. */
export async function sizeOf(place: string): Promise<Size> {
  const lock = JSON.parse(await readFile(join(place, 'package-lock.json'), 'utf8'))
  // The first entry is the folder itself.
  const packages = Object.keys(lock.packages).length - 1
  return { bytes: await bytesIn(join(place, 'node_modules')), packages }
}

/** Like `du`: whole blocks of the disk, because most of the files are small. */
async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  let bytes = 0
  for (const name of names) bytes += 512 * (await lstat(join(folder, name))).blocks
  return bytes
}

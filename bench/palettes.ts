import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { install, pack } from '../harness/node-red/npm.ts'
import { paletteName } from '../harness/node-red/user-directory.ts'
import type { BenchmarkOptions } from './benchmark.ts'

export { paletteName as own } from '../harness/node-red/user-directory.ts'

/**
 * Palettes that connect to a service or a hub, as a user installs them.
 *
 * These are the palettes that the goals were derived from, except the dashboard: it is ten times the largest
 * of these and contains a front end, so it would be neither the smallest nor the fastest.
 */
export const peers: readonly string[] = [
  'node-red-node-feedparser',
  'node-red-contrib-shelly',
  'node-red-contrib-home-assistant-websocket',
  'node-red-contrib-zigbee2mqtt',
]

/** Returns the folder in which a palette is installed, with all its dependencies and nothing else. */
export async function installPalette(
  palette: string,
  { folder, progress }: BenchmarkOptions,
): Promise<string> {
  const place = join(folder, palette.replace('/', '-'))
  if (await isThere(join(place, 'package-lock.json'))) return place
  progress(`installing ${palette}`)
  await mkdir(place, { recursive: true })
  await install(place, [palette === paletteName ? await pack(folder) : palette])
  return place
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../clock/until.ts'
import type { NodeRedProcess } from '../node-red/node-red-process.ts'
import type { NodeRedHarness } from '../node-red.ts'

/** Returns the folder of the cursor files. */
export function cursorFolder({ userDir }: NodeRedHarness): string {
  return join(userDir, 'keyholder')
}

/** Returns the path of the cursor file of a panel node. */
export function cursorFile(harness: NodeRedHarness, panel: string): string {
  return join(cursorFolder(harness), `events-${panel}.json`)
}

/** Waits until all cursors are saved: from then on no message that was sent counts as in flight. */
export async function cursorsSaved(harness: NodeRedHarness): Promise<void> {
  const folder = cursorFolder(harness)
  const isSaved = (name: string) => !readFileSync(join(folder, name), 'utf8').includes('"intended"')
  const names = () => readdirSync(folder).filter((name) => /^events-.*\.json$/.test(name))
  await until(() => names().every(isSaved), 'the cursors to be saved')
}

/** Returns the warnings and errors in the log that name a file. */
export function linesAbout({ output }: NodeRedProcess, file: string): string[] {
  return output.split('\n').filter((line) => /\[(warn|error)\]/.test(line) && line.includes(`${file} `))
}

import { join } from 'node:path'
import type { NodeRedHarness } from '../node-red.ts'
import type { NodeRedProcess } from './node-red-process.ts'

/** Returns the folder of the cursor files. */
export function cursorFolder({ userDir }: NodeRedHarness): string {
  return join(userDir, 'keyholder')
}

/** Returns the path of the cursor file of a panel node. */
export function cursorFile(harness: NodeRedHarness, panel: string): string {
  return join(cursorFolder(harness), `events-${panel}.json`)
}

/** Returns the warnings and errors in the log that name a file. */
export function linesAbout({ output }: NodeRedProcess, file: string): string[] {
  return output.split('\n').filter((line) => /\[(warn|error)\]/.test(line) && line.includes(`${file} `))
}

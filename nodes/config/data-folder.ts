import { homedir } from 'node:os'
import { join } from 'node:path'
import type { NodeAPI } from 'node-red'

/** Returns the folder for data that must survive a restart. */
export function dataFolder(RED: NodeAPI): string {
  return join(RED.settings.userDir ?? join(homedir(), '.node-red'), 'keyholder')
}

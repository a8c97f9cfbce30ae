import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { digest } from '../../src/account/account-registry.ts'
import { replaceFile } from '../../src/files.ts'

/**
 * Returns a name of this Node-RED for the others of a cluster: the same one after a restart, and another one in a copy
 * of the user directory on another machine.
 * @param folder for data that must survive a restart
 * @param parts what else tells it apart
 */
export async function installationName(folder: string, ...parts: string[]): Promise<string> {
  const path = join(folder, 'installation')
  const known = await readFile(path, 'utf8').catch(() => '')
  const id = /^[\da-f-]{36}$/.test(known.trim()) ? known.trim() : randomUUID()
  // If it cannot be written, the next process is another installation.
  if (id !== known.trim()) await replaceFile(path, `${id}\n`).catch(() => {})
  return digest(id, hostname(), ...parts)
}

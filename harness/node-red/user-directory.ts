import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FlowNode } from './recorded-flow.ts'

/** This package, as npm and Node-RED know it. */
export const paletteName = '@keyholder/node-red-alarm-panel'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** What a user directory of Node-RED holds. */
export interface UserDirectoryContent {
  flows?: readonly FlowNode[]
  /** Credentials by node id. */
  credentials?: Record<string, Record<string, string>>
  /** Further settings, for settings.js. */
  settings?: Record<string, unknown>
  /** JavaScript at the end of settings.js, with the settings at hand as `module.exports`. */
  code?: string
}

/** An empty temporary directory; remove it with `removeDirectory`. */
export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'keyholder-'))
}

/** Removes a directory, also one in which a killed process was writing a moment ago. */
export function removeDirectory(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 })
}

/** Puts a package, this checkout unless another is given, into the palette of a user directory. */
export async function linkPalette(directory: string, name = paletteName, target = project): Promise<void> {
  const link = join(directory, 'node_modules', name)
  await mkdir(dirname(link), { recursive: true })
  await symlink(target, link, 'junction')
}

/** Writes settings, flows and credentials into a user directory; nothing in it asks the network for anything. */
export async function fillUserDirectory(
  directory: string,
  { flows = [], credentials = {}, settings = {}, code = '' }: UserDirectoryContent,
): Promise<void> {
  const all = {
    uiHost: '127.0.0.1',
    uiPort: 0,
    flowFile: join(directory, 'flows.json'),
    // So that a test can write the credentials file itself.
    credentialSecret: false,
    telemetry: { enabled: false, updateNotification: false },
    ...settings,
  }
  await Promise.all([
    writeFile(join(directory, 'settings.js'), `module.exports = ${JSON.stringify(all)}\n${code}`),
    writeFile(join(directory, 'flows.json'), JSON.stringify(flows)),
    writeFile(join(directory, 'flows_cred.json'), JSON.stringify(credentials)),
  ])
}

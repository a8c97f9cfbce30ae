import { mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FlowNode, recorderCode } from './recorded-flow.ts'

/** The name of this package in npm and Node-RED. */
export const paletteName = '@keyholder/node-red-alarm-panel'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** The files of Node-RED's nodes that no test and no example uses: without them, Node-RED and its editor start faster. */
export const unusedNodes = [
  ...['16-range.js', '80-template.js', '89-delay.js', '90-exec.js'],
  ...['06-httpproxy.js', '31-tcpin.js', '32-udp.js'],
  ...['70-CSV.js', '70-HTML.js', '70-JSON.js', '70-XML.js', '70-YAML.js'],
  ...['18-sort.js', '19-batch.js', '10-file.js', '23-watch.js'],
]

/** The content of a user directory of Node-RED. */
export interface UserDirectoryContent {
  flows?: readonly FlowNode[]
  /** Credentials by node id. */
  credentials?: Record<string, Record<string, string>>
  /** Further settings, for settings.js. */
  settings?: Record<string, unknown>
  /** JavaScript at the end of settings.js, which can use the settings as `module.exports`. */
  code?: string
}

/** Creates a temporary directory; remove it with `removeDirectory`. */
export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'keyholder-'))
}

/** Removes a directory, even if a killed process has just written to it. */
export function removeDirectory(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Links a package, by default this project, into the palette of a user directory; keeps a link that is already right.
 */
export function linkPalette(directory: string, name = paletteName, target = project): Promise<void> {
  return linkFolder(join(directory, 'node_modules', name), target)
}

/**
 * Links Node-RED's own nodes into a user directory, and returns the path for the setting `coreNodesDir`. Node-RED looks for
 * palettes in all folders above its nodes: from there it does not read hundreds of packages of this project at each start.
 */
export async function linkCoreNodes(directory: string): Promise<string> {
  const link = join(directory, 'core-nodes')
  await linkFolder(link, dirname(fileURLToPath(import.meta.resolve('@node-red/nodes'))))
  return link
}

async function linkFolder(link: string, target: string): Promise<void> {
  const current = await readlink(link).catch(() => undefined)
  if (current !== undefined && resolve(current) === resolve(target)) return
  await rm(link, { recursive: true, force: true })
  await mkdir(dirname(link), { recursive: true })
  // A junction is the only link that any Windows user can create; other systems ignore the word.
  await symlink(target, link, 'junction')
}

/**
 * Writes settings, flows and credentials into a user directory. With these settings Node-RED does not access the
 * network.
 */
export async function fillUserDirectory(
  directory: string,
  { flows = [], credentials = {}, settings = {}, code = '' }: UserDirectoryContent,
): Promise<void> {
  const all = {
    uiHost: '127.0.0.1',
    uiPort: 0,
    flowFile: join(directory, 'flows.json'),
    // The credentials file is not encrypted, so that a test can write it.
    credentialSecret: false,
    telemetry: { enabled: false, updateNotification: false },
    // No test installs a palette in the editor; else each start starts npm too, to ask for its version.
    externalModules: { palette: { allowInstall: false } },
    nodesExcludes: unusedNodes,
    ...settings,
  }
  await Promise.all([
    writeFile(
      join(directory, 'settings.js'),
      `module.exports = ${JSON.stringify(all)}\n${recorderCode}${code}`,
    ),
    writeFile(join(directory, 'flows.json'), JSON.stringify(flows)),
    writeFile(join(directory, 'flows_cred.json'), JSON.stringify(credentials)),
  ])
}

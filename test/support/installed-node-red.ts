import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Runtime } from './node-red-process.ts'
import { install } from './npm.ts'

/**
 * Installs a Node-RED into an empty directory, with the Node to run it; needs the network.
 * @param version its major and minor version
 * @param node the major version of Node
 */
export async function installNodeRed(directory: string, version: string, node: string): Promise<Runtime> {
  const executable = await nodeOf(node, join(directory, 'node'))
  const program = join(directory, 'program')
  await mkdir(program, { recursive: true })
  await install(program, [`node-red@~${version}`], executable)
  return { node: executable, red: join(program, 'node_modules', 'node-red', 'red.js') }
}

/** The executable of a Node of this major version: the one that runs the tests, or one that npm brings. */
async function nodeOf(major: string, directory: string): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  await mkdir(directory, { recursive: true })
  await install(directory, [`node@${major}`])
  return join(directory, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

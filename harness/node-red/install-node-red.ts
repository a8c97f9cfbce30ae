import { access, mkdir, mkdtemp, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Runtime } from './node-red-process.ts'
import { install } from './npm.ts'
import { removeDirectory } from './user-directory.ts'

/**
 * Installs Node-RED and the Node.js to run it, unless they are already installed; needs the network.
 * @param directory the folder for the installation, unless `KEYHOLDER_INSTALLED` names a folder that several suites
 * share
 * @param version the major and minor version of Node-RED
 * @param node the major version of Node.js
 */
export async function installNodeRed(directory: string, version: string, node: string): Promise<Runtime> {
  const folder = process.env.KEYHOLDER_INSTALLED || directory
  const executable = await installNode(folder, node)
  // npm selects versions of packages by the version of Node.js that runs it.
  const program = join(folder, `node-red-${version}-node-${node}`)
  await installOnce(program, `node-red@~${version}`, executable)
  return { node: executable, red: join(program, 'node_modules', 'node-red', 'red.js') }
}

/**
 * Returns the executable of Node.js with this major version: the one that runs the tests, or one installed by npm.
 */
async function installNode(folder: string, major: string): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const program = join(folder, `node-${major}`)
  await installOnce(program, `node@${major}`)
  return join(program, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/**
 * Installs a package; the directory does not exist before the package is complete, even if two processes install it.
 */
async function installOnce(directory: string, name: string, node?: string): Promise<void> {
  if (await exists(directory)) return
  await mkdir(dirname(directory), { recursive: true })
  const draft = await mkdtemp(`${directory}.`)
  try {
    await install(draft, [name], node)
    await rename(draft, directory)
  } catch (error) {
    await removeDirectory(draft)
    if (!(await exists(directory))) throw error
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

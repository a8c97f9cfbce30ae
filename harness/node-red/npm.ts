import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FlowNode } from './recorded-flow.ts'

const execute = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs npm in a directory.
 * @param node the executable of Node.js: npm selects versions of packages by the version of Node.js that runs it
 */
export async function npm(
  directory: string,
  args: readonly string[],
  node = process.execPath,
): Promise<void> {
  // The npm that runs the tests; by its name alone, a package of the project could be found.
  const own = process.env.npm_execpath
  const [command, before] = own?.endsWith('.js') ? [node, [own]] : ['npm', []]
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`
  await execute(command, [...before, ...args], {
    cwd: directory,
    env: { ...process.env, PATH: path },
    maxBuffer: 64 * 1024 * 1024,
  })
}

/**
 * Packs this project without compiling it; returns the path of the tarball. With `KEYHOLDER_TARBALL`, it returns that path: a
 * release tests the tarball that it publishes.
 */
export async function pack(directory: string): Promise<string> {
  if (process.env.KEYHOLDER_TARBALL) return process.env.KEYHOLDER_TARBALL
  await npm(project, ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory])
  return join(directory, (await readdir(directory)).find((name) => name.endsWith('.tgz')) ?? '')
}

/** Installs packages into a directory; npm removes all other packages there. */
export async function install(directory: string, packages: readonly string[], node?: string): Promise<void> {
  // Only the package `node` needs a script: it copies the executable.
  const manifest = { name: 'installation', private: true, allowScripts: { node: true } }
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest))
  await npm(directory, ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], node)
}

/**
 * Returns the other palettes that a flow needs, as arguments of npm: `name@version`, with the version used to create
 * the flow.
 *
 * Node-RED 4.1 and later write them into every export, and offer to install missing ones when the flow is  */
export function neededPalettes(flows: readonly FlowNode[]): string[] {
  const modules = flows.flatMap(({ modules = {} }) => Object.entries(modules as Record<string, string>))
  return modules.map(([name, version]) => `${name}@${version}`)
}

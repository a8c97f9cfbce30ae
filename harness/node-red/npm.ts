import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))

/** Runs npm in a directory, on a Node of choice: npm picks versions of packages by the Node that it runs on. */
export async function npm(
  directory: string,
  args: readonly string[],
  node = process.execPath,
): Promise<void> {
  // The npm that runs the tests; the name alone might find one among the project's packages.
  const own = process.env.npm_execpath
  const [command, before] = own?.endsWith('.js') ? [node, [own]] : ['npm', []]
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`
  await execute(command, [...before, ...args], {
    cwd: directory,
    env: { ...process.env, PATH: path },
    maxBuffer: 64 * 1024 * 1024,
  })
}

/** Packs this project, as it is compiled, into a directory; the answer is the tarball's path. */
export async function pack(directory: string): Promise<string> {
  await npm(project, ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory])
  return join(directory, (await readdir(directory)).find((name) => name.endsWith('.tgz')) ?? '')
}

/** Installs packages into a directory that holds nothing else that npm knows of. */
export async function install(directory: string, packages: readonly string[], node?: string): Promise<void> {
  // Of all packages here, only `node` needs a script: it puts the executable in its place.
  const manifest = { name: 'installation', private: true, allowScripts: { node: true } }
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest))
  await npm(directory, ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], node)
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const readFlows = async (name) => JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'))

/**
 * Prepares Node-RED's user directory inside the project: this checkout in its palette, and the demo flows, in German if the
 * environment asks for it.
 *
 * Changes of the user are kept, unless `reset` restores the original demo flows. Call it after the build.
 * @returns {Promise<string>} the directory
 */
export async function prepareUserDirectory(root, { reset }) {
  // Imported here because the module does not exist before the build.
  const { linkPalette, paletteName } = await import('../harness/node-red/user-directory.js')
  const directory = join(root, '.node-red')
  await mkdir(directory, { recursive: true })
  // A link instead of a copy, so that the next start uses a new build.
  await linkPalette(directory, paletteName, root)
  await writeManifest(join(directory, 'package.json'), paletteName)
  const flows = JSON.stringify(await demoFlows(process.env), null, 2)
  await writeFile(join(directory, 'flows.json'), flows, { flag: reset ? 'w' : 'wx' }).catch(unlessThere)
  return directory
}

async function demoFlows({ LC_ALL, LC_MESSAGES, LANG }) {
  const flows = await readFlows('demo-flows.json')
  const language = LC_ALL || LC_MESSAGES || LANG || ''
  if (!language.startsWith('de')) return flows
  // Imported here because acorn may not be installed before.
  const { translateExample } = await import('./examples/example-texts.js')
  return translateExample(flows, await readFlows('examples/german.json'))
}

/** Keeps a file that is there: a user may have changed it. */
function unlessThere(error) {
  if (error.code !== 'EEXIST') throw error
}

/**
 * Adds the link to the dependencies, so that the palette manager keeps it when it installs something else.
 */
async function writeManifest(path, name) {
  const manifest = { name: 'keyholder-demo', private: true, dependencies: { [name]: 'file:..' } }
  // The palette manager may have added packages since then.
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' }).catch(unlessThere)
}

import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const demoFlows = new URL('demo-flows.json', import.meta.url)

/**
 * Prepares Node-RED's user directory inside the project: this checkout in its palette, and the demo flows.
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
  await cp(demoFlows, join(directory, 'flows.json'), { force: reset })
  return directory
}

/**
 * Adds the link to the dependencies, so that the palette manager keeps it when it installs something else.
 */
async function writeManifest(path, name) {
  const manifest = { name: 'keyholder-demo', private: true, dependencies: { [name]: 'file:..' } }
  try {
    await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' })
  } catch (error) {
    // Keeps the packages that the palette manager has added since then.
    if (error.code !== 'EEXIST') throw error
  }
}

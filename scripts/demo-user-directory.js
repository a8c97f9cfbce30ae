import { cp, mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const name = '@keyholder/node-red-alarm-panel'
const demoFlows = new URL('demo-flows.json', import.meta.url)

/**
 * Prepares Node-RED's user directory inside the project: this checkout in its palette, and the demo flows.
 *
 * Changes of the user are kept, unless `reset` restores the original demo flows.
 * @returns {Promise<string>} the directory
 */
export async function prepareUserDirectory(root, { reset }) {
  const directory = join(root, '.node-red')
  await mkdir(join(directory, 'node_modules', '@keyholder'), { recursive: true })
  await linkPalette(root, join(directory, 'node_modules', ...name.split('/')))
  await writeManifest(join(directory, 'package.json'))
  await cp(demoFlows, join(directory, 'flows.json'), { force: reset })
  return directory
}

/** A link instead of a copy, so that the next start uses a new build. */
async function linkPalette(root, link) {
  const target = await readlink(link).catch(() => undefined)
  if (target === root) return
  await rm(link, { recursive: true, force: true })
  // A junction is the only link that any Windows user can create; other systems ignore the word.
  await symlink(root, link, 'junction')
}

/**
 * Adds the link to the dependencies, so that the palette manager keeps it when it installs something else.
 */
async function writeManifest(path) {
  const manifest = { name: 'keyholder-demo', private: true, dependencies: { [name]: 'file:..' } }
  try {
    await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' })
  } catch (error) {
    // Keeps the packages that the palette manager has added since then.
    if (error.code !== 'EEXIST') throw error
  }
}

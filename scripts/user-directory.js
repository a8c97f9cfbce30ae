import { cp, mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const name = '@keyholder/node-red-alarm-panel'
const demoFlows = new URL('demo-flows.json', import.meta.url)

/**
 * Prepares Node-RED's user directory inside the project: this checkout in its palette, and the demo flows.
 *
 * What the user changed stays, unless `reset` asks for the demo flows as they were.
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

/** A link and no copy, so that the next start runs what was changed and built in between. */
async function linkPalette(root, link) {
  const target = await readlink(link).catch(() => undefined)
  if (target === root) return
  await rm(link, { recursive: true, force: true })
  // Of all links, Windows lets everybody make a junction; elsewhere the word means nothing.
  await symlink(root, link, 'junction')
}

/** Names the link among the dependencies, so that the palette manager keeps it when it installs something else. */
async function writeManifest(path) {
  const manifest = { name: 'keyholder-demo', private: true, dependencies: { [name]: 'file:..' } }
  try {
    await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' })
  } catch (error) {
    // What the palette manager has added to it since then stays.
    if (error.code !== 'EEXIST') throw error
  }
}

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Nodes whose messages have texts in any language, and so read their own file; Node-RED reads those of the editor. */
const speaking = ['incident', 'conditions', 'chain-test', 'home-assistant', 'panel']

/**
 * Writes what Node-RED reads of a node set beside its script: the pages of all nodes as one, and in each language their
 * texts and their help.
 *
 * @param {string} root the folder of the project
 */
export async function joinPages(root) {
  // Imported here because the module does not exist before the build.
  const { registrations } = await import('../../nodes/keyholder.js')
  const names = Object.keys(registrations)
  const source = join(root, 'nodes')
  const target = join(root, 'dist')
  await writeJoined(
    names.map((name) => join(source, name, `${name}.html`)),
    target,
  )
  const languages = await readdir(join(source, 'locales'))
  for (const language of languages) {
    const [from, to] = [join(source, 'locales', language), join(target, 'locales', language)]
    await mkdir(to, { recursive: true })
    const there = await readdir(from)
    const help = names.map((name) => `${name}.html`).filter((file) => there.includes(file))
    await writeJoined(
      help.map((file) => join(from, file)),
      to,
    )
    await writeTexts(from, to)
  }

  async function writeJoined(files, to) {
    const pages = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    if (pages.length > 0) await writeFile(join(to, 'keyholder.html'), pages.join(''))
  }

  async function writeTexts(from, to) {
    const all = {}
    const there = await readdir(from)
    // A language may lack files: what is not there is shown in English.
    for (const name of names.filter((one) => there.includes(`${one}.json`))) {
      const texts = JSON.parse(await readFile(join(from, `${name}.json`), 'utf8'))
      for (const [key, value] of Object.entries(texts)) {
        // The category of the palette is in all of them.
        if (key in all && JSON.stringify(all[key]) !== JSON.stringify(value))
          throw new Error(`${key} is different in ${join(from, name)}.json`)
        all[key] = value
      }
      if (speaking.includes(name)) await writeFile(join(to, `${name}.json`), JSON.stringify(texts))
    }
    await writeFile(join(to, 'keyholder.json'), JSON.stringify(all))
  }
}

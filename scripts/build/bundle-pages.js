import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes what Node-RED reads of a node set beside its script: the pages of all nodes as one, in each language their texts
 * and their help, and their icons; and the texts of messages, where the nodes look for them.
 *
 * @param {string} root the folder of the project
 */
export async function joinPages(root) {
  // Imported here because the modules do not exist before the build.
  const { registrations } = await import('../../nodes/keyholder.js')
  const { pageOf } = await import('../../nodes/pages/page.js')
  const { nodesWithMessageTexts } = await import('../../nodes/shared/message-texts.js')
  const nodes = await Promise.all(
    Object.keys(registrations).map(async (name) => {
      const folder = join(root, 'nodes', name)
      const [files, texts] = [await readdir(folder), await readdir(join(folder, 'locales'))]
      return { name, folder, files, texts }
    }),
  )
  const target = join(root, 'dist')
  const pages = await Promise.all(nodes.map(({ name }) => pageOf(name)))
  await writeFile(join(target, 'keyholder.html'), pages.join(''))
  for (const { name, folder, files } of nodes)
    if (files.includes('icon.svg'))
      await cp(join(folder, 'icon.svg'), join(target, 'icons', `keyholder-${name}.svg`))
  const languages = new Set(
    nodes.flatMap(({ texts }) => texts.map((file) => file.slice(0, file.lastIndexOf('.')))),
  )
  for (const language of languages) {
    const to = join(target, 'locales', language)
    await mkdir(to, { recursive: true })
    // A language may lack files: what is not there is shown in English.
    const written = (ending) => nodes.filter(({ texts }) => texts.includes(language + ending))
    const fileIn = ({ folder }, ending) => join(folder, 'locales', language + ending)
    await writeJoined(
      written('.html').map((node) => fileIn(node, '.html')),
      to,
    )
    await writeTexts(
      written('.json').map((node) => fileIn(node, '.json')),
      to,
    )
  }
  for (const name of nodesWithMessageTexts) await writeMessageTexts(nodes.find((node) => node.name === name))

  async function writeJoined(files, to) {
    const pages = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    if (pages.length > 0) await writeFile(join(to, 'keyholder.html'), pages.join(''))
  }

  async function writeTexts(files, to) {
    const all = {}
    for (const file of files) {
      const texts = JSON.parse(await readFile(file, 'utf8'))
      for (const [key, value] of Object.entries(texts)) {
        // The category of the palette is in all of them.
        if (key in all && JSON.stringify(all[key]) !== JSON.stringify(value))
          throw new Error(`${key} is different in ${file}`)
        all[key] = value
      }
    }
    await writeFile(join(to, 'keyholder.json'), JSON.stringify(all))
  }

  async function writeMessageTexts({ name, folder, texts }) {
    const to = join(target, name, 'locales')
    await mkdir(to, { recursive: true })
    for (const file of texts.filter((one) => one.endsWith('.json'))) {
      const text = await readFile(join(folder, 'locales', file), 'utf8')
      await writeFile(join(to, file), JSON.stringify(JSON.parse(text)))
    }
  }
}

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { translateExample } from './example-texts.js'

const examples = new URL('../../examples/', import.meta.url)
const german = new URL('Deutsch/', examples)

/** Writes examples/Deutsch: the examples with the German texts of german.json. The build does it. */
export async function writeGermanExamples() {
  const readFlows = async (url) => JSON.parse(await readFile(url, 'utf8'))
  const table = await readFlows(new URL('german.json', import.meta.url))
  await rm(german, { recursive: true, force: true })
  await mkdir(german)
  for (const file of (await readdir(examples)).filter((name) => name.endsWith('.json'))) {
    const { [file.replace(/\.json$/, '')]: name } = table.texts
    const nodes = translateExample(await readFlows(new URL(file, examples)), table)
    await writeFile(new URL(`${name}.json`, german), JSON.stringify(nodes))
  }
}

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { defaultsOf } from '../../harness/fixtures/node-fields.js'
import { compareTexts, translateExample } from './example-texts.js'
import { withoutDefaults } from './left-out-fields.js'

// Takes out of the examples and of the demo flow the fields with their default, which the editor exports too, and writes
// examples/Deutsch: the examples with the German texts of german.json.
// With --check it changes nothing, and fails if such a field is there, if a text is missing or not used, or if a German
// example is out of date.

const examples = new URL('../../examples/', import.meta.url)
const german = new URL('Deutsch/', examples)
const readFlows = async (url) => JSON.parse(await readFile(url, 'utf8'))
const writeFlows = (url, nodes) => writeFile(url, `${JSON.stringify(nodes, null, 2)}\n`)

const table = await readFlows(new URL('german.json', import.meta.url))
const names = (await readdir(examples)).filter((name) => name.endsWith('.json'))
const urls = [...names.map((name) => new URL(name, examples)), new URL('../demo-flows.json', import.meta.url)]
const written = await Promise.all(urls.map(readFlows))
const lean = written.map((nodes) => withoutDefaults(nodes, defaultsOf))
const flows = lean.slice(0, names.length)

const { missing, unused } = compareTexts(lean, table)
const complaints = [
  ...missing.map((text) => `german.json has no text for ${JSON.stringify(text)}`),
  ...unused.map((text) => `german.json has a text that no example has: ${JSON.stringify(text)}`),
]
const translated = new Map(
  flows.map((nodes, index) => {
    const { [names[index].replace(/\.json$/, '')]: name } = table.texts
    return [`${name}.json`, translateExample(nodes, table)]
  }),
)

if (process.argv.includes('--check')) {
  for (const [index, url] of urls.entries())
    if (!isDeepStrictEqual(written[index], lean[index]))
      complaints.push(`Has a field with its default: ${decodeURI(url.pathname.split('/').pop())}`)
  const there = await readdir(german)
  const isStale = async ([name, nodes]) =>
    !there.includes(name) || !isDeepStrictEqual(await readFlows(new URL(name, german)), nodes)
  for (const example of translated)
    if (await isStale(example)) complaints.push(`Not up to date: examples/Deutsch/${example[0]}`)
  for (const name of there)
    if (!translated.has(name)) complaints.push(`Of no English example: examples/Deutsch/${name}`)
} else {
  for (const [index, url] of urls.entries()) await writeFlows(url, lean[index])
  await rm(german, { recursive: true, force: true })
  await mkdir(german)
  for (const [name, nodes] of translated) await writeFlows(new URL(name, german), nodes)
}
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exitCode = 1

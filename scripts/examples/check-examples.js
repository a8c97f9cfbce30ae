import { readdir, readFile, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { defaultsOf } from '../../harness/fixtures/node-fields.js'
import { compareTexts } from './example-texts.js'
import { withoutDefaults } from './left-out-fields.js'

// Takes out of the examples and of the demo flow the fields with their default, which the editor exports too. Fails if
// german.json lacks a text of them, or has one that they lack.
// With --check it changes nothing, and fails if such a field is there.

const examples = new URL('../../examples/', import.meta.url)
const readFlows = async (url) => JSON.parse(await readFile(url, 'utf8'))

const table = await readFlows(new URL('german.json', import.meta.url))
const names = (await readdir(examples)).filter((name) => name.endsWith('.json'))
const urls = [...names.map((name) => new URL(name, examples)), new URL('../demo-flows.json', import.meta.url)]
const written = await Promise.all(urls.map(readFlows))
const lean = written.map((nodes) => withoutDefaults(nodes, defaultsOf))

const { missing, unused } = compareTexts(lean, table)
const complaints = [
  ...missing.map((text) => `german.json has no text for ${JSON.stringify(text)}`),
  ...unused.map((text) => `german.json has a text that no example has: ${JSON.stringify(text)}`),
]
const isChecked = process.argv.includes('--check')
for (const [index, url] of urls.entries())
  if (!isDeepStrictEqual(written[index], lean[index])) {
    if (isChecked)
      complaints.push(`Has a field with its default: ${decodeURI(url.pathname.split('/').pop())}`)
    else await writeFile(url, `${JSON.stringify(lean[index], null, 2)}\n`)
  }
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exitCode = 1

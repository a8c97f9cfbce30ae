// `npm run quick`: runs the cheapest test files that together run nearly all functions that the tests of `npm test` run.
// `npm run quick -- --choose` chooses them again, by the map of coverage that `npm run try -- --map` makes.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runProgram, UserError } from '../command.js'
import { coverCheaply } from './cheapest-cover.js'
import { readMap } from './coverage-map.js'
import { runTests } from './run-tests.js'

/** The part of the functions that is enough: each of the last ones needs a dear test of its own. */
const share = 0.95

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
/** The list of the files. It is kept, so that it is there in a fresh clone. */
const list = join(root, 'test/quick.json')

await runProgram(async (signal) => {
  const { choose } = parseArgs({ options: { choose: { type: 'boolean', default: false } } }).values
  await (choose ? chooseFiles() : runFiles(signal))
})

async function runFiles(signal) {
  const files = JSON.parse(await readFile(list, 'utf8'))
  const start = performance.now()
  const options = { root, signal, configuration: '.mocharc.json', reporter: 'dot' }
  const hasPassed = await runTests(files, options)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(
    `Ran ${files.length} files of test/quick.json in ${seconds} s. All tests: npm test; types and style: npm run check`,
  )
  if (!hasPassed) process.exitCode = 1
}

async function chooseFiles() {
  const map = await readMap(root)
  if (map === undefined)
    throw new UserError('There is no map of coverage: npm run try -- --map makes it, in a few minutes.')
  const costs = map.tests.map(({ cost }) => cost)
  const chosen = coverCheaply(Object.values(map.sources).flat(), costs, { share })
  const files = chosen.map((test) => map.tests[test].file).sort()
  await writeFile(list, `${JSON.stringify(files, null, 2)}\n`)
  const seconds = chosen.reduce((sum, test) => sum + costs[test], 0) / 1000
  console.log(
    `test/quick.json has ${files.length} files now, about ${seconds.toFixed(0)} s of processor time.`,
  )
}

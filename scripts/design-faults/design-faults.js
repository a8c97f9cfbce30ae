// `npm run design-faults`: brings each fault of design back in a copy of the project, looks who notices it, and writes the table
// of docs/design-faults.md. It changes nothing else of the project. What was run is kept, so a run that was ended goes on.

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runProgram, UserError } from '../command.js'
import { faultFolder, readFaults } from './faults.js'
import { measure } from './measure.js'
import { Results } from './results.js'
import { describeTable, tablePath } from './table.js'
import { plainTests, worlds } from './worlds.js'

const options = {
  seeds: { type: 'string', default: '200' },
  only: { type: 'string', multiple: true },
  world: { type: 'string', multiple: true },
  jobs: { type: 'string', default: '1' },
  tests: { type: 'string', default: '60' },
  again: { type: 'boolean', default: false },
  table: { type: 'boolean', default: false },
}
const root = process.cwd()

await runProgram(async (signal) => {
  const { only, columns, ...numbers } = readArguments()
  const faults = readFaults(root)
  const chosen = faults.filter(({ name }) => only === undefined || only.includes(name))
  const unknown = only?.filter((name) => !faults.some((fault) => fault.name === name)) ?? []
  if (unknown.length > 0) throw new UserError(`No patch in ${faultFolder} is named ${unknown.join(', ')}.`)
  const results = new Results(root)
  if (!numbers.table) await measure(chosen, columns, { ...numbers, root, results, signal })
  const sentences = JSON.parse(readFileSync(join(root, faultFolder, 'cluster.json'), 'utf8'))
  await writeFile(
    join(root, tablePath),
    describeTable(faults, sentences, (fault, column) => results.of(fault, column)),
  )
})

function readArguments() {
  const { seeds, only, world, jobs, tests, again, table } = parse()
  for (const [name, text] of Object.entries({ seeds, jobs, tests }))
    if (!/^[1-9]\d{0,5}$/.test(text))
      throw new UserError(`--${name} takes a whole number from 1, not "${text}".`)
  const all = [plainTests, ...worlds.map(({ name }) => name)]
  const unknown = world?.filter((name) => !all.includes(name)) ?? []
  if (unknown.length > 0)
    throw new UserError(`No world is named ${unknown.join(', ')}. There are: ${all.join(', ')}.`)
  const numbers = { inputs: Number(seeds), most: Number(tests), jobs: Number(jobs) }
  return { only, columns: world ?? all, again, table, ...numbers }
}

function parse() {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new UserError(error.message)
  }
}

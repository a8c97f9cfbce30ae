// `npm run design-faults`: brings each fault of design back in a copy of the project, looks who notices it, and writes the table
// of docs/design-faults.md. It changes nothing else of the project. What was run is kept, so a run that was ended goes on.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runProgram, UserError } from '../command.js'
import { inParallel } from '../mutation/in-parallel.js'
import { copyProject } from '../mutation/project-copy.js'
import { compile } from '../try/run-tests.js'
import { whileChanged } from './changed-copy.js'
import { bringBack, faultFolder, readFaults } from './faults.js'
import { chooseTests, firstNoticing, liveIn } from './notice.js'
import { Results } from './results.js'
import { describeTable, tablePath } from './table.js'
import { livesInWorld, plainTests, worlds } from './worlds.js'

const options = {
  seeds: { type: 'string', default: '200' },
  only: { type: 'string', multiple: true },
  world: { type: 'string', multiple: true },
  jobs: { type: 'string', default: '1' },
  tests: { type: 'string', default: '40' },
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
  const results = await Results.read(root)
  if (!numbers.table) await measure(chosen, columns, { ...numbers, results, signal })
  const sentences = JSON.parse(readFileSync(join(root, faultFolder, 'cluster.json'), 'utf8'))
  await writeFile(
    join(root, tablePath),
    describeTable(faults, sentences, (fault, column) => results.of(fault, column)),
  )
})

async function measure(faults, columns, { inputs, most, jobs, again, results, signal }) {
  const folder = await mkdtemp(join(tmpdir(), 'design-faults-'))
  // Temporary files that a killed test leaves are removed together with this folder.
  process.env.TMPDIR = folder
  try {
    await compile(root, signal)
    const copies = await Promise.all(
      Array.from({ length: jobs }, (_, job) => copyProject(root, join(folder, `project-${job}`))),
    )
    const measured = describeNow()
    const sound = new Map()
    const isDone = (fault, column) => {
      const { inputs: tried, first } = results.of(fault, column) ?? {}
      const isKnown =
        column === plainTests ? results.of(fault, column) !== undefined : tried >= inputs || first > 0
      return isKnown && !again
    }
    await inParallel(faults, copies, async (fault, position, copy) => {
      const open = columns.filter((column) => !isDone(fault, column))
      const { sources, failure } = bringBack(fault, copy)
      if (failure !== undefined) throw new UserError(failure)
      for (const column of open) {
        const look = { root: copy, signal, inputs, most }
        const result = await lookAt(column, [...sources.keys()], look, sound, (work) =>
          whileChanged(copy, sources, signal, work),
        )
        await results.keep(fault, column, { ...result, measured })
        console.error(`${position} of ${faults.length}: ${fault.name}, ${column}: ${JSON.stringify(result)}`)
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Looks if a column notices a fault; what fails without the fault too has noticed nothing. */
async function lookAt(column, files, options, sound, withFault) {
  const passes = async (key, run) => {
    if (!sound.has(key)) sound.set(key, run())
    return await sound.get(key)
  }
  if (column === plainTests) {
    const tests = await chooseTests(options.root, files, options.most)
    for (;;) {
      const file = await withFault(() => firstNoticing(tests, options))
      if (file === null) return { file }
      if (await passes(file, async () => (await firstNoticing([file], options)) === null)) {
        const isOfWorld = livesInWorld(await readFile(join(options.root, file), 'utf8'))
        return { file, ...(isOfWorld && { isOfWorld }) }
      }
      tests.splice(tests.indexOf(file), 1)
    }
  }
  const world = worlds.find(({ name }) => name === column)
  const isSound = await passes(column, async () => (await liveIn(world, options)).first === null)
  if (!isSound) return { inputs: options.inputs, failure: 'fails without it' }
  return { inputs: options.inputs, ...(await withFault(() => liveIn(world, options))) }
}

function describeNow() {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
  return `${new Date().toISOString().slice(0, 10)}, ${commit}`
}

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

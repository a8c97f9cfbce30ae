// `npm run try -- <source or test>`: runs the tests that matter for a changed source, in seconds. Node 22.18 and later run them from
// the TypeScript. `--all` runs all that the map of coverage knows of the source; `--map` makes the map.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runProgram, UserError } from '../command.js'
import { filesBelow } from '../files-below.js'
import { chooseByImports, chooseByMap } from './choose-tests.js'
import { makeMap, readMap } from './coverage-map.js'
import { readImporters } from './importers.js'
import { findPlaces, sourceFolders } from './places.js'
import { compile, runTests } from './run-tests.js'
import { configurationOf, isInProcess } from './test-files.js'

/** Milliseconds of processor time: what somebody waits for after each changed line. */
const budget = 2000

/** So many files run without a map, which would tell what they cost. */
const mostWithoutMap = 5

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

await runProgram(async (signal) => {
  const { names, all, map } = readArguments()
  if (map) await renewMap(signal)
  else if (names.length === 0)
    throw new UserError(
      'Name what you have changed, a source or a test: npm run try -- src/panel/polling/pace.ts',
    )
  else await tryNamed(names, all, signal)
})

async function renewMap(signal) {
  await compile(root, signal)
  const { tests, sources } = await makeMap(root, signal)
  console.log(`The map has ${tests.length} test files and ${Object.keys(sources).length} sources.`)
}

async function tryNamed(names, all, signal) {
  // npm starts scripts in the folder of the project.
  const { sources, tests } = findPlaces(names, root, process.env.INIT_CWD ?? process.cwd())
  const { files, why, left } =
    sources.length === 0 ? { files: [], why: [], left: [] } : await choose(sources, names, all)
  const configurations = new Set([...tests, ...files].map((file) => configurationOf(root, file)))
  if (configurations.size > 1) throw new UserError('These tests belong to several suites: name those of one.')
  const start = performance.now()
  const hasPassed = await runTests([...new Set([...tests, ...files])], {
    root,
    signal,
    configuration: [...configurations][0],
    reporter: files.length > 0 ? 'dot' : 'spec',
    needsBuild: tests.some((test) => !isInProcess(root, test)),
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log([`Ran in ${seconds} s: ${[...tests, ...files].join(', ')}`, ...why, ...left].join('\n'))
  if (!hasPassed) process.exitCode = 1
}

/** Chooses the tests for sources: the files, and lines that say why they and what is left out. */
async function choose(sources, names, all) {
  const map = await readMap(root)
  const exists = (file) => existsSync(join(root, file)) && isInProcess(root, file)
  const found = map && chooseByMap(sources, map, { budget, exists })
  return found ? chosenByMap(found, map, names, all) : chosenByImports(sources, names, all, map !== undefined)
}

function chosenByMap({ chosen, left, cost, costLeft, functions, missed }, { measured }, names, all) {
  const inSeconds = (ms) => `about ${(ms / 1000).toFixed(1)} s of processor time`
  const share = missed === 0 ? `all ${functions}` : `${functions - missed} of the ${functions}`
  const why = `They run ${share} functions that any test runs there, in ${inSeconds(cost)}, by the map of ${measured}.`
  if (all || left.length === 0)
    return { files: all ? [...chosen, ...left] : chosen, why: all ? [] : [why], left: [] }
  const others = `Left out: ${left.length} more files that run them, ${inSeconds(costLeft)}: ${callOf('--all', names)}`
  return { files: chosen, why: [why], left: [others] }
}

function chosenByImports(sources, names, all, hasMap) {
  const tests = filesBelow(root, 'test', '.test.ts')
  const files = [...sourceFolders.flatMap((folder) => filesBelow(root, folder, '.ts')), ...tests]
  const found = chooseByImports(sources, tests, readImporters(root, files))
  const inProcess = found.filter((file) => isInProcess(root, file))
  const others = found.filter((file) => !inProcess.includes(file))
  const left = others.length === 0 ? [] : [describeOthers(others)]
  if (inProcess.length === 0) {
    const none = `No test that needs only its own process is about ${names.join(', ')}.`
    throw new UserError([none, ...left].join('\n'))
  }
  const chosen = all ? inProcess : inProcess.slice(0, mostWithoutMap)
  const rest = inProcess.length - chosen.length
  if (rest > 0) left.push(`Left out: ${rest} more files: ${callOf('--all', names)}`)
  const how = 'They have its name, import it, are of its folder or have the name of what imports it.'
  const why = hasMap
    ? `${how} The map of coverage knows no test that runs it.`
    : `${how} A map of coverage would choose better: ${callOf('--map')} makes it, in a few minutes.`
  return { files: chosen, why: [why], left }
}

function describeOthers([first, ...others]) {
  const more = others.length === 0 ? '' : ` Also ${others.join(', ')}.`
  return `Left out, because it needs more than its own process: ${callOf(first)}${more}`
}

function callOf(...args) {
  return `npm run try -- ${args.flat().join(' ')}`
}

function readArguments() {
  try {
    const options = { all: { type: 'boolean', default: false }, map: { type: 'boolean', default: false } }
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    return { names: positionals, ...values }
  } catch (error) {
    throw new UserError(error.message)
  }
}

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { UserError } from '../command.js'
import { inParallel } from './in-parallel.js'
import { runTests } from './mocha-run.js'

const processorTime = fileURLToPath(new URL('processor-time.js', import.meta.url))

/**
 * Measures test files. One that fails is repeated alone, since on a busy machine a test with other processes can fail by
 * chance; one that fails again is left out: of what it runs, nothing is known.
 * @param {string[]} files
 * @param {string[]} places the roots of the projects to work in, side by side
 * @param {(file: string, place: string) => Promise<{ file: string, ms: number } | { file: string, failure: string }>} measure
 * @returns {Promise<object[]>} what `measure` gave for the files that passed
 * @throws {UserError} if none is left
 */
export async function measureAll(files, places, measure) {
  const first = await inParallel(files, places, async (file, position, place) => {
    const measured = await measure(file, place)
    const result = measured.failure === undefined ? `${(measured.ms / 1000).toFixed(1)} s` : 'failed'
    console.error(`test file ${position} of ${files.length}: ${file}, ${result}`)
    return measured
  })
  const passed = first.filter(({ failure }) => failure === undefined)
  for (const { file } of first.filter(({ failure }) => failure !== undefined)) {
    const measured = await measure(file, places[0])
    if (measured.failure === undefined) passed.push(measured)
    else console.error(`${measured.failure}\n${file} is left out, because it failed twice.`)
  }
  if (passed.length === 0) throw new UserError('No test file passes.')
  return passed
}

/**
 * Runs one test file with nothing changed and finds the mutants that it would run.
 * @param {string} file
 * @param {{ file: string, start: number }[]} mutants
 * @param {{ root: string, signal: AbortSignal, folder: string }} options `folder` is for temporary files
 * @returns {Promise<{ file: string, ms: number, cost: number, covers: Set, uses: Set } | { file: string, failure: string }>}
 *   as `runCovered` does; `uses` are the mutants in modules of which it runs any function
 */
export async function measureCoverage(file, mutants, options) {
  const { modules, ...measured } = await runCovered([file], options)
  if (measured.failure !== undefined) return { file, ...measured }
  const covers = new Set()
  const uses = new Set()
  for (const { module, functions } of modules) {
    const own = mutants.filter(({ file }) => file === module)
    if (own.length === 0) continue
    const ranges = functions.flatMap((one) => one.ranges)
    const isUsed = functions.some(isRun)
    for (const mutant of own) {
      if (findInnermost(ranges, mutant.start)?.count > 0) covers.add(mutant)
      if (isUsed) uses.add(mutant)
    }
  }
  return { file, ...measured, covers, uses }
}

/**
 * Runs one test file with nothing changed and finds the functions that it runs.
 * @param {string} file
 * @param {{ root: string, signal: AbortSignal, folder: string }} options as for `measureCoverage`
 * @returns {Promise<{ file: string, ms: number, cost: number, runs: Map<string, Set<number>> } | { file: string, failure: string }>}
 *   as `runCovered` does; `runs` has, by its path, the offsets of the functions of each module
 */
export async function measureFunctions(file, options) {
  const { modules, ...measured } = await runCovered([file], options)
  if (measured.failure !== undefined) return { file, ...measured }
  const runs = new Map()
  for (const { module, functions } of modules) {
    const starts = functions.filter(isRun).map(({ ranges: [{ startOffset }] }) => startOffset)
    // A child process has a module of its own.
    runs.set(module, new Set([...(runs.get(module) ?? []), ...starts]))
  }
  return { file, ...measured, runs }
}

/**
 * Runs test files in one process and reads the coverage of the modules of the project.
 * @param {string[]} files
 * @param {{ root: string, signal: AbortSignal, folder: string, slowest?: number, modules?: string[], env?: object }} options
 *   `folder` is for temporary files, the others are those of `runTests`
 * @returns {Promise<{ ms: number, cost: number, modules: { module: string, functions: object[] }[] } | { failure: string }>}
 *   `ms` is how long it took and depends on the load of the machine, `cost` is its processor time in milliseconds;
 *   `failure` tells how it failed; `functions` are those of V8, each with its ranges
 */
export async function runCovered(files, { root, signal, folder, slowest = 25_000, modules = [], env = {} }) {
  const results = await mkdtemp(join(folder, 'coverage-'))
  const written = {
    NODE_V8_COVERAGE: join(results, 'v8'),
    PROCESSOR_TIME_FILE: join(results, 'processor-time'),
  }
  const options = { root, signal, slowest, modules: [processorTime, ...modules], env: { ...env, ...written } }
  const { outcome, output, ms } = await runTests(files, options)
  if (outcome !== 'passed')
    return { failure: `${files.join(', ')} ${outcome} without any change:\n${output}` }
  const cost = Number(await readFile(written.PROCESSOR_TIME_FILE, 'utf8'))
  const base = pathToFileURL(join(root, '/')).href
  const scripts = await readScripts(written.NODE_V8_COVERAGE)
  await rm(results, { recursive: true })
  const covered = scripts
    .filter(({ url }) => url.startsWith(base))
    .map(({ url, functions }) => ({ module: url.slice(base.length), functions }))
  return { ms, cost, modules: covered }
}

/** Tells if a function was run; the one that starts at 0 is the module itself. */
export function isRun({ ranges: [{ startOffset, count }] }) {
  return startOffset > 0 && count > 0
}

/** Reads the coverage that V8 wrote for a process and its child processes. */
async function readScripts(folder) {
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => JSON.parse(text).result)
}

/**
 * Finds the smallest of the ranges in which an offset is.
 * @param {{ startOffset: number, endOffset: number }[]} ranges
 * @param {number} offset
 */
export function findInnermost(ranges, offset) {
  let found
  for (const range of ranges) {
    if (range.startOffset > offset || range.endOffset <= offset) continue
    if (!found || range.endOffset - range.startOffset <= found.endOffset - found.startOffset) found = range
  }
  return found
}

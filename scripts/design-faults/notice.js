import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { filesBelow } from '../files-below.js'
import { runTests } from '../mutation/mocha-run.js'
import { chooseByImports } from '../try/choose-tests.js'
import { readImporters } from '../try/importers.js'
import { sourceFolders } from '../try/places.js'
import { listInProcessTests } from '../try/test-files.js'
import { livesInWorld, simulationTests } from './worlds.js'

const firstFailure = fileURLToPath(new URL('first-failure.js', import.meta.url))
const processorLimit = fileURLToPath(new URL('processor-limit.js', import.meta.url))

/** Seconds of processor time for a few test files, or the start of a world: far more than they use when nothing is wrong. */
const leastLimit = 120

/** Seconds of processor time for an input of all properties of a world. */
const limitOfInput = 20

/** The test files that run in one process, which ends with the first failure. */
const together = 6

/**
 * Returns options for `runTests`, with which the clock ends nothing: the processor time does.
 * @param {Record<string, string>} env the environment of the tests
 */
export function endedByProcessorTime(env) {
  const limit = leastLimit + limitOfInput * Number(env.INPUTS ?? 0)
  return {
    slowest: Infinity,
    modules: [processorLimit],
    env: { ...env, PROCESSOR_LIMIT: String(limit) },
  }
}

/**
 * Lives in a world until it notices something.
 * @param {{ files: string[], isDirected?: boolean }} world
 * @param {{ root: string, signal: AbortSignal, inputs: number }} options `root` is of a copy of the project
 * @returns {Promise<{ first: number | null } | { failure: string }>} the number of the input that notices, from 1; null if
 *   none does; `failure` tells that it came to no end, or failed without an input
 */
export async function liveIn({ files, isDirected = false }, { root, signal, inputs }) {
  // Chance must not decide who notices what.
  const limits = endedByProcessorTime({ SEED: '1', INPUTS: String(inputs) })
  const modules = [...limits.modules, firstFailure]
  const { outcome, output } = await runTests(files, { root, signal, ...limits, modules })
  if (outcome === 'passed') return { first: null }
  const [, count] = /Property failed after (\d+) tests/.exec(output) ?? []
  if (isDirected && !hasNoEnd(output)) return { first: 1 }
  if (count !== undefined) return { first: Number(count) }
  return { failure: hasNoEnd(output) ? 'no end' : 'fails' }
}

function hasNoEnd(output) {
  return output.includes('No end: ')
}

/**
 * Chooses the test files for sources, the nearest first, those that live in a world last.
 * @param {string} root
 * @param {string[]} sources
 * @param {number} most the number of the others
 */
export async function chooseTests(root, sources, most) {
  const tests = listInProcessTests(root)
  const importersOf = readImporters(root, [
    ...sourceFolders.flatMap((one) => filesBelow(root, one, '.ts')),
    ...tests,
  ])
  const near = chooseByImports(sources, tests, importersOf)
  const texts = new Map(
    await Promise.all(tests.map(async (file) => [file, await readFile(join(root, file), 'utf8')])),
  )
  const isOfWorld = (file) => livesInWorld(texts.get(file))
  const plain = new Set(
    [...near, ...inFoldersOf(sources, tests), ...tests].filter((file) => !isOfWorld(file)),
  )
  const chosen = [...[...plain].slice(0, most), ...near.filter(isOfWorld)]
  return chosen.filter((file) => !simulationTests.includes(file)).map((file) => file.replace(/ts$/, 'js'))
}

/** Returns the tests of the folders of sources, of the folders above them and so on; a test of a node can have its name alone. */
function inFoldersOf(sources, tests) {
  const found = []
  for (const source of sources) {
    let folder = dirname(`test/${source.replace(/^src\//, '')}`)
    for (; folder !== 'test'; folder = dirname(folder))
      found.push(...tests.filter((test) => test.startsWith(folder)))
  }
  return found
}

/**
 * Runs test files, in their order, until one notices something.
 * @param {string[]} files
 * @param {{ root: string, signal: AbortSignal }} options
 * @returns {Promise<string | null>} the file that notices, also when it runs alone; null if none does
 */
export async function firstNoticing(files, { root, signal }) {
  const left = [...files]
  while (left.length > 0) {
    const batch = left.splice(0, together)
    const { outcome, output } = await run(batch, { root, signal })
    if (outcome === 'passed') continue
    // The place of the failure names the file.
    const named = batch.filter((file) => output.includes(file))
    for (const file of named.length > 0 ? named : batch)
      if ((await run([file], { root, signal })).outcome !== 'passed') return file
    // On a busy machine a test can fail by chance; those behind it have not run yet.
    left.unshift(...batch.slice(batch.indexOf(named[0] ?? batch.at(-1)) + 1))
  }
  return null
}

function run(files, { root, signal }) {
  return runTests(files, { root, signal, ...endedByProcessorTime({ SEED: '1' }) })
}

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { measureAll, measureFunctions } from '../mutation/coverage.js'
import { listInProcessTests } from './test-files.js'

/** Ignored by git, like all of its folder. */
const place = 'node_modules/.cache/keyholder-coverage.json'

/**
 * Which test files run which functions, and what they cost.
 * @typedef {object} CoverageMap
 * @property {string} measured the day
 * @property {{ file: string, cost: number }[]} tests the cost in milliseconds of processor time, without the start of a process
 * @property {Record<string, number[][]>} sources for each source, for each function that a test runs, the tests that run it, by
 *   their positions in `tests`
 */

/**
 * Reads the map.
 * @param {string} root the folder of the project
 * @returns {Promise<CoverageMap | undefined>} undefined if none was made
 */
export async function readMap(root) {
  const path = join(root, place)
  return existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : undefined
}

/**
 * Makes the map: runs each test file that needs only its own process once, alone in a process. The modules are compiled.
 * @param {string} root
 * @param {AbortSignal} signal
 * @returns {Promise<CoverageMap>}
 */
export async function makeMap(root, signal) {
  const files = listInProcessTests(root).map((file) => file.replace(/ts$/, 'js'))
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-coverage-'))
  try {
    // V8 names modules without symbolic links.
    const options = { root: await realpath(root), signal, folder }
    const measured = await measureAll(files, Array(availableParallelism()).fill(root), (file) =>
      measureFunctions(file, options),
    )
    const isSource = (file) => existsSync(join(root, file))
    const map = { measured: new Date().toISOString().slice(0, 10), ...mapOf(measured, isSource) }
    await mkdir(dirname(join(root, place)), { recursive: true })
    await writeFile(join(root, place), JSON.stringify(map))
    return map
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Joins what was measured to a map.
 * @param {{ file: string, cost: number, runs: Map<string, Set<number>> }[]} measured
 * @param {(file: string) => boolean} isSource
 */
export function mapOf(measured, isSource) {
  // The cheapest test costs hardly more than its process, which all share when they run.
  const start = Math.min(...measured.map(({ cost }) => cost))
  const tests = measured.map(({ file, cost }) => ({
    file: file.replace(/js$/, 'ts'),
    cost: Math.round(cost - start),
  }))
  const functions = new Map()
  for (const [test, { runs }] of measured.entries())
    for (const [module, starts] of runs) {
      const source = module.replace(/js$/, 'ts')
      if (!/^(src|nodes)\//.test(source) || !isSource(source)) continue
      if (!functions.has(source)) functions.set(source, new Map())
      const ofSource = functions.get(source)
      for (const offset of starts) ofSource.set(offset, [...(ofSource.get(offset) ?? []), test])
    }
  const sources = [...functions].sort().map(([source, ofSource]) => [source, [...ofSource.values()]])
  return { tests, sources: Object.fromEntries(sources) }
}

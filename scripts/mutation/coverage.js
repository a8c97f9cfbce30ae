import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runTests } from './mocha-run.js'

const processorTime = fileURLToPath(new URL('processor-time.js', import.meta.url))

/**
 * Runs one test file with nothing changed and finds the mutants that it would run.
 * @param {string} file
 * @param {{ file: string, start: number }[]} mutants
 * @param {{ root: string, signal: AbortSignal, folder: string }} options `folder` is for temporary files
 * @returns {Promise<{ file: string, ms: number, cost: number, covers: Set, uses: Set } | { file: string, failure: string }>}
 *   `ms` is how long it took and depends on the load of the machine, `cost` is its processor time in milliseconds; `uses`
 *   are the mutants in modules of which it runs any function; `failure` tells how it failed
 */
export async function measureCoverage(file, mutants, { root, signal, folder }) {
  const results = await mkdtemp(join(folder, 'coverage-'))
  const env = { NODE_V8_COVERAGE: join(results, 'v8'), PROCESSOR_TIME_FILE: join(results, 'processor-time') }
  const options = { root, signal, slowest: 25_000, modules: [processorTime], env }
  const { outcome, output, ms } = await runTests([file], options)
  if (outcome !== 'passed') return { file, failure: `${file} ${outcome} without any mutant:\n${output}` }
  const cost = Number(await readFile(env.PROCESSOR_TIME_FILE, 'utf8'))
  const covers = new Set()
  const uses = new Set()
  const base = pathToFileURL(join(root, '/')).href
  for (const { url, functions } of await readScripts(env.NODE_V8_COVERAGE)) {
    const own = url.startsWith(base) ? mutants.filter(({ file }) => file === url.slice(base.length)) : []
    if (own.length === 0) continue
    const ranges = functions.flatMap((one) => one.ranges)
    // The function that starts at 0 is the module itself.
    const isUsed = functions.some(({ ranges: [{ startOffset, count }] }) => startOffset > 0 && count > 0)
    for (const mutant of own) {
      if (findInnermost(ranges, mutant.start)?.count > 0) covers.add(mutant)
      if (isUsed) uses.add(mutant)
    }
  }
  await rm(results, { recursive: true })
  return { file, ms, cost, covers, uses }
}

/** Reads the coverage that V8 wrote for a process and its child processes. */
async function readScripts(folder) {
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => JSON.parse(text).result)
}

function findInnermost(ranges, offset) {
  let found
  for (const range of ranges) {
    if (range.startOffset > offset || range.endOffset <= offset) continue
    if (!found || range.endOffset - range.startOffset <= found.endOffset - found.startOffset) found = range
  }
  return found
}

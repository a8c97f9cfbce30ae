import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { UserError } from '../command.js'
import { runTests } from './mocha-run.js'

/**
 * Runs one test file with nothing changed and finds the mutants that it would run.
 * @param {string} file
 * @param {{ file: string, start: number }[]} mutants
 * @param {{ root: string, signal: AbortSignal, folder: string }} options `folder` is for temporary files
 * @returns {Promise<{ file: string, ms: number, covers: Set, uses: Set }>} `uses` are the mutants in modules of which
 *   it runs any function
 * @throws {UserError} if it fails, since then every mutant would seem to be killed
 */
export async function measureCoverage(file, mutants, { root, signal, folder }) {
  const NODE_V8_COVERAGE = await mkdtemp(join(folder, 'coverage-'))
  const start = performance.now()
  const { outcome, output } = await runTests([file], {
    root,
    signal,
    slowest: 25_000,
    env: { NODE_V8_COVERAGE },
  })
  if (outcome !== 'passed') throw new UserError(`${file} ${outcome} without any mutant:\n${output}`)
  const ms = performance.now() - start
  const covers = new Set()
  const uses = new Set()
  for (const { url, functions } of await readScripts(NODE_V8_COVERAGE)) {
    const own = mutants.filter(({ file }) => pathToFileURL(join(root, file)).href === url)
    if (own.length === 0) continue
    const ranges = functions.flatMap((one) => one.ranges)
    // The function that starts at 0 is the module itself.
    const isUsed = functions.some(({ ranges: [{ startOffset, count }] }) => startOffset > 0 && count > 0)
    for (const mutant of own) {
      if (findInnermost(ranges, mutant.start)?.count > 0) covers.add(mutant)
      if (isUsed) uses.add(mutant)
    }
  }
  await rm(NODE_V8_COVERAGE, { recursive: true })
  return { file, ms, covers, uses }
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

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTests } from './mocha-run.js'
import { applyMutant } from './mutants.js'

/** Milliseconds of tests in one process: long compared with its start, short compared with all tests. */
const batchTime = 5000

/**
 * Runs the test files that run the mutated place, the cheapest first, until one notices the mutant.
 * @param {object} mutant
 * @param {{ file: string, ms: number, covers: Set, uses: Set }[]} coverage
 * @param {{ root: string, signal: AbortSignal, maxTime: number }} options `root` is of a copy of the project, in which
 *   the module is changed meanwhile; after `maxTime` milliseconds of tests no other file is begun, but for the one with
 *   the module's own name
 * @returns {Promise<{ outcome: 'killed' | 'timed out' | 'survived' | 'no coverage', untried: number }>} `untried` counts
 *   the test files that a survivor was not shown to
 */
export async function testMutant(mutant, coverage, { root, signal, maxTime }) {
  const covering = coverage.filter(({ covers }) => covers.has(mutant)).sort((a, b) => a.ms - b.ms)
  // Nearly every test loads every module, so the tests that call this one come first.
  if (mutant.runsAtLoad) covering.sort((a, b) => b.uses.has(mutant) - a.uses.has(mutant))
  if (covering.length === 0) return { outcome: 'no coverage', untried: 0 }
  const chosen = chooseTests(covering, mutant, maxTime)
  const path = join(root, mutant.file)
  await writeFile(path, applyMutant(mutant.source, mutant))
  try {
    const outcome = await runInBatches(chosen, { root, signal })
    const untried = outcome === 'survived' ? covering.length - chosen.length : 0
    return { outcome, untried }
  } finally {
    await writeFile(path, mutant.source)
  }
}

async function runInBatches(tests, { root, signal }) {
  for (const batch of splitIntoBatches(tests)) {
    const slowest = Math.max(...batch.map(({ ms }) => ms))
    const { outcome } = await runTests(
      batch.map(({ file }) => file),
      { root, signal, slowest },
    )
    if (outcome !== 'passed') return outcome === 'failed' ? 'killed' : outcome
  }
  return 'survived'
}

function chooseTests(tests, mutant, maxTime) {
  let spent = 0
  return tests.filter(({ file, ms }) => {
    const isWorth = spent < maxTime
    spent += ms
    return isWorth || withoutTop(file) === withoutTop(mutant.file)
  })
}

/** Returns the part of the path that `test/panel/panel.test.js` and `src/panel/panel.js` have in common. */
function withoutTop(file) {
  return file.replace(/^[^/]+\//, '').replace(/(\.test)?\.js$/, '')
}

function splitIntoBatches(tests) {
  const batches = []
  let left = 0
  for (const test of tests) {
    if (left <= 0) {
      batches.push([])
      left = batchTime
    }
    batches.at(-1).push(test)
    left -= test.ms
  }
  return batches
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTests } from './mocha-run.js'
import { applyMutant } from './mutants.js'

/** Milliseconds of processor time in one process: long compared with its start, short compared with all tests. */
const batchTime = 5000

/**
 * Runs the test files that run the mutated place, the nearest and then the cheapest first, until one notices it. The load of the
 * machine decides nothing: tests must fail twice, and be late twice.
 * @param {object} mutant
 * @param {{ file: string, ms: number, cost: number, covers: Set, uses: Set }[]} coverage
 * @param {{ root: string, signal: AbortSignal, maxTime: number }} options `root` is of a copy of the project, in which
 *   the module is changed meanwhile; after `maxTime` milliseconds of processor time no other file is begun
 * @returns {Promise<{ outcome: 'killed' | 'timed out' | 'survived' | 'no coverage', untried: number }>} `untried` counts
 *   the test files that a survivor was not shown to
 */
export async function testMutant(mutant, coverage, { root, signal, maxTime }) {
  const near = ({ file }) => nearness(mutant.file, file)
  const covering = coverage
    .filter(({ covers }) => covers.has(mutant))
    .sort((a, b) => near(b) - near(a) || a.cost - b.cost)
  // Nearly every test loads every module, so the tests that call this one come first.
  if (mutant.runsAtLoad) covering.sort((a, b) => b.uses.has(mutant) - a.uses.has(mutant))
  if (covering.length === 0) return { outcome: 'no coverage', untried: 0 }
  const chosen = chooseTests(covering, maxTime)
  for (const batch of splitIntoBatches(chosen)) {
    const outcome = await runBatch(batch, mutant, { root, signal })
    if (outcome !== 'passed') return { outcome: outcome === 'failed' ? 'killed' : outcome, untried: 0 }
  }
  return { outcome: 'survived', untried: covering.length - chosen.length }
}

async function runBatch(batch, mutant, { root, signal }) {
  const all = batch.map(({ file }) => file)
  const path = join(root, mutant.file)
  let slowest = Math.max(...batch.map(({ ms }) => ms))
  const runMutated = async (files) => {
    await writeFile(path, applyMutant(mutant.source, mutant))
    try {
      return await runTests(files, { root, signal, slowest })
    } finally {
      await writeFile(path, mutant.source)
    }
  }
  const { outcome, output } = await runMutated(all)
  if (outcome === 'passed') return outcome
  // The stack names the file of the test that has failed.
  const named = all.filter((file) => output.includes(file))
  const noticing = named.length > 0 ? named : all
  if (outcome === 'timed out') {
    // The machine may be much busier than it was when the tests were measured.
    slowest = Math.max(slowest, (await runTests(noticing, { root, signal, slowest })).ms)
  }
  return (await runMutated(noticing)).outcome
}

function chooseTests(tests, maxTime) {
  let spent = 0
  return tests.filter(({ cost }) => {
    const isWorth = spent < maxTime
    spent += cost
    return isWorth
  })
}

/**
 * Returns how near a test file is to a module: the number of folders that they share from the first on, and one more for
 * the same name, as `test/panel/panel.test.js` and `src/panel/panel.js` have.
 */
function nearness(module, test) {
  const own = module.replace(/\.js$/, '').split('/').slice(1)
  const others = test.replace(/(\.test)?\.js$/, '').split('/')
  const shared = others.slice(Math.max(0, others.indexOf(own[0])))
  const apart = own.findIndex((name, index) => name !== shared[index])
  return apart === -1 ? own.length : apart
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
    left -= test.cost
  }
  return batches
}

/**
 * `npm run bench`: runs the benchmarks 1 to 13 and 23 to 25, most of them five times, and prints the results next to their
 * goals. `--keep` keeps them in bench/results.json and docs/performance.md. `--only 6` runs one of them, `--only cluster` those of a cluster, 14 to 22; `--runs 3` runs each three times.
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seed } from '../harness/mocha/seed.ts'
import { benchmarks, type ListedBenchmark } from './benchmarks.ts'
import type { Comparison } from './comparison.ts'
import { readKept, withResults, writeKept } from './kept-results.ts'
import { type BenchmarkResult, formatJson, formatTable } from './report.ts'

const benchmarkProcess = fileURLToPath(new URL('run-benchmark.js', import.meta.url))
const defaultRuns = 5

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    runs: { type: 'string' },
  },
})
const ids = benchmarks.map((_, place) => place + 1)
const inGroup = (group: string | undefined) => ids.filter((id) => benchmarks[id - 1]?.group === group)
const only = (
  values.only?.flatMap((one) => (one === 'cluster' ? inGroup(one) : Number(one))) ?? inGroup(undefined)
).sort((one, other) => one - other)
if (!only.every((id) => ids.includes(id))) fail(`--only takes a number from 1 to ${ids.length}, or cluster.`)
else if (!/^[1-9]\d*$/.test(values.runs ?? '1')) fail('--runs takes a number from 1.')
else await runAll(only)

async function runAll(ids: readonly number[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-bench-'))
  process.once('SIGINT', () => process.exit(130))
  try {
    const results: BenchmarkResult[] = []
    for (const id of ids) {
      const benchmark = benchmarks[id - 1]
      if (benchmark !== undefined)
        results.push({ id, ...benchmark, runs: await repeat(id, benchmark, folder) })
    }
    console.log(values.json ? formatJson(results) : formatTable(results))
    if (values.keep) writeKept(withResults(readKept(), results))
    if (results.some(({ runs }) => runs.length === 0)) fail('Not all benchmarks could be run.')
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs a benchmark several times; returns the comparisons of each run, or nothing if a run failed. */
async function repeat(id: number, { name, once }: ListedBenchmark, folder: string): Promise<Comparison[][]> {
  const count = Number(values.runs ?? (once === undefined ? defaultRuns : 1))
  const runs: Comparison[][] = []
  while (runs.length < count) {
    const run = count === 1 ? '' : `, run ${runs.length + 1} of ${count}`
    const comparisons = await runOnce(id, seed + runs.length, folder, `${id} of ${ids.length}: ${name}${run}`)
    if (comparisons.length === 0) return []
    runs.push(comparisons)
  }
  return runs
}

/**
 * Runs a benchmark once, in its own process, so that earlier runs do not affect the result; returns nothing if it
 * failed.
 * @param title begins each line about its progress
 */
function runOnce(id: number, seed: number, folder: string, title: string): Promise<Comparison[]> {
  const began = performance.now()
  const report = (what: string) => process.stderr.write(`${title}${what}\n`)
  report(' ...')
  return new Promise((resolve) => {
    let comparisons: Comparison[] = []
    // Standard output is reserved for the table or the JSON; the output of the process must not appear there.
    const child = fork(benchmarkProcess, [String(id - 1), folder], {
      execArgv: ['--expose-gc'],
      env: { ...process.env, SEED: String(seed) },
      // JSON has no infinity, the goal of a comparison without one.
      serialization: 'advanced',
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
    })
    child.on('message', (message: { progress?: string; comparisons?: Comparison[] }) => {
      if (message.progress !== undefined) report(`: ${message.progress}`)
      comparisons = message.comparisons ?? comparisons
    })
    child.once('close', () => {
      report(` took ${((performance.now() - began) / 1000).toFixed(1)} s`)
      resolve(comparisons)
    })
  })
}

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

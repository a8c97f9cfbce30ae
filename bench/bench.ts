/**
 * `npm run bench`: runs the benchmarks 1 to 13 and 23, and prints the results next to their goals. `--only 6` runs one of them,
 * `--only cluster` those of a cluster, 14 to 22.
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchmarks } from './benchmarks.ts'
import type { Comparison } from './comparison.ts'
import { type BenchmarkResult, formatJson, formatTable } from './report.ts'

const benchmarkProcess = fileURLToPath(new URL('run-benchmark.js', import.meta.url))

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
})
const ids = benchmarks.map((_, place) => place + 1)
const inGroup = (group: string | undefined) => ids.filter((id) => benchmarks[id - 1]?.group === group)
const only = (
  values.only?.flatMap((one) => (one === 'cluster' ? inGroup(one) : Number(one))) ?? inGroup(undefined)
).sort((one, other) => one - other)
if (only.every((id) => benchmarks[id - 1] !== undefined)) await runAll(only)
else fail(`--only takes a number from 1 to ${benchmarks.length}, or cluster.`)

async function runAll(ids: readonly number[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-bench-'))
  process.once('SIGINT', () => process.exit(130))
  try {
    const results: BenchmarkResult[] = []
    for (const id of ids) results.push({ id, name: nameOf(id), comparisons: await runBenchmark(id, folder) })
    console.log(values.json ? formatJson(results) : formatTable(results))
    if (results.some(({ comparisons }) => comparisons.length === 0)) fail('Not all benchmarks could be run.')
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs a benchmark in its own process; returns nothing if it failed. */
function runBenchmark(id: number, folder: string): Promise<Comparison[]> {
  const began = performance.now()
  const report = (what: string) =>
    process.stderr.write(`${id} of ${benchmarks.length}: ${nameOf(id)}${what}\n`)
  report(' ...')
  return new Promise((resolve) => {
    let comparisons: Comparison[] = []
    // Standard output is reserved for the table or the JSON; the output of the process must not appear there.
    const child = fork(benchmarkProcess, [String(id - 1), folder], {
      execArgv: ['--expose-gc'],
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

function nameOf(id: number): string {
  return benchmarks[id - 1]?.name ?? ''
}

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

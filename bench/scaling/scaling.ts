/**
 * `npm run bench:scaling`: 1, 10, 100 and 1,000 panels of one account in one process, polled at the default
 * intervals of the nodes, with the simulator in another process; prints the cost of each number as JSON, and for 1,000
 * panels also the comparisons with the goals. With `-- --cluster`: 100, 1,000 and
 * 10,000 panels over four processes of a cluster.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Comparison } from '../comparison.ts'
import { formatTable } from '../report.ts'
import { measureCluster } from './cluster-scaling.ts'
import type { ScalingResult } from './scaling-process.ts'

const sizes = [1, 10, 100, 1000]
const clusterSizes = [100, 1000, 10_000]
const scalingProcess = fileURLToPath(new URL('scaling-process.js', import.meta.url))

const { values } = parseArgs({ options: { cluster: { type: 'boolean', default: false } } })
for (const panels of values.cluster ? clusterSizes : sizes) {
  process.stderr.write(`${panels} panels ...\n`)
  if (values.cluster) {
    console.log(JSON.stringify(await measureCluster(panels)))
    continue
  }
  const result = await runProcess(panels)
  console.log(JSON.stringify(result))
  if (panels === 1000)
    console.log(formatTable([{ id: 24, name: '1,000 panels', once: 'long', runs: [goalsOf(result)] }]))
}

/** Returns what was measured beside its goal, with 1,000 panels. */
function goalsOf({ start, processor }: ScalingResult): Comparison[] {
  return [
    { what: 'all states after the start', ours: start, theirs: 20, unit: 's', goal: 1 },
    { what: 'processor, of a core', ours: processor, theirs: 10, unit: '%', goal: 1 },
  ]
}

function runProcess(panels: number): Promise<ScalingResult> {
  return new Promise((resolve, reject) => {
    const child = fork(scalingProcess, [String(panels)], { execArgv: ['--expose-gc'] })
    child.once('message', (result) => resolve(result as ScalingResult))
    child.once('close', () => reject(new Error(`The process with ${panels} panels ended without a result.`)))
  })
}

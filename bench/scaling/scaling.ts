/**
 * `npm run bench:scaling`: 1, 10, 100 and 1,000 panels of one account in one process, polled at the default
 * intervals of the nodes, with the simulator in another process; prints the cost of each number as JSON. With `-- --cluster`: 100, 1,000 and
 * 10,000 panels over four processes of a cluster.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureCluster } from './cluster-scaling.ts'
import type { ScalingResult } from './scaling-process.ts'

const sizes = [1, 10, 100, 1000]
const clusterSizes = [100, 1000, 10_000]
const scalingProcess = fileURLToPath(new URL('scaling-process.js', import.meta.url))

const { values } = parseArgs({ options: { cluster: { type: 'boolean', default: false } } })
for (const panels of values.cluster ? clusterSizes : sizes) {
  process.stderr.write(`${panels} panels ...\n`)
  console.log(JSON.stringify(await (values.cluster ? measureCluster(panels) : runProcess(panels))))
}

function runProcess(panels: number): Promise<ScalingResult> {
  return new Promise((resolve, reject) => {
    const child = fork(scalingProcess, [String(panels)], { execArgv: ['--expose-gc'] })
    child.once('message', (result) => resolve(result as ScalingResult))
    child.once('close', () => reject(new Error(`The process with ${panels} panels ended without a result.`)))
  })
}

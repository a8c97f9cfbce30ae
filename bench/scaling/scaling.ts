/**
 * `npm run bench:scaling`: 1, 10, 100 and 1,000 panels of one account in one process, polled at the default
 * intervals of the nodes, with the simulator in another process; draws the cost in docs/images/growth.svg.
 */
import { fork } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chartsOf, type Series } from '../charts.ts'
import type { ScalingResult } from './scaling-process.ts'

const sizes = [1, 10, 100, 1000]
const growthProcess = fileURLToPath(new URL('scaling-process.js', import.meta.url))
const images = new URL('../../docs/images/', import.meta.url)

const all: ScalingResult[] = []
for (const panels of sizes) {
  process.stderr.write(`${panels} panels ...\n`)
  const figures = await figuresOf(panels)
  all.push(figures)
  console.log(JSON.stringify(figures))
}
const series = (title: string, unit: string, of: (figures: ScalingResult) => number): Series => {
  return { title, unit, points: all.map((figures) => [figures.panels, of(figures)]) }
}
await mkdir(images, { recursive: true })
await writeFile(
  new URL('growth.svg', images),
  chartsOf('panels', [
    series('Processor', '% of a core', ({ processor }) => processor),
    series('Resident memory', 'MB', ({ memory }) => memory),
    series('Attempts', 'per minute', ({ attempts }) => attempts),
    series('Age of an event, mean', 's', ({ eventAge }) => eventAge),
  ]),
)

function figuresOf(panels: number): Promise<ScalingResult> {
  return new Promise((resolve, reject) => {
    const child = fork(growthProcess, [String(panels)], { execArgv: ['--expose-gc'] })
    child.once('message', (figures) => resolve(figures as ScalingResult))
    child.once('close', () => reject(new Error(`The process with ${panels} panels ended without figures.`)))
  })
}

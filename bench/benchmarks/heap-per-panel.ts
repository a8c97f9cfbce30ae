import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
// Hashing the code of each panel with the cost of the product would take most of the time, and leaves nothing in memory.
import '../../harness/mocha/hashing-cost.ts'
import { collectGarbage } from '../../harness/metrics/gc.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import { openAccount, openPanel } from '../client.ts'
import type { Comparison } from '../comparison.ts'
import { devices, eventsFrom } from '../sample-responses.ts'
import type { ServiceAddress, ServiceTask } from '../service-process.ts'

const panels = 1000
const unbounded = 10_000_000
const serviceProcess = fileURLToPath(new URL('../service-process.js', import.meta.url))
const hourly = { stateEvery: 3600, eventsEvery: 3600, devicesEvery: 3600 }

/** Memory for a panel with 64 devices and 1,000 events, compared with its answers parsed by JSON.parse. */
export default async function heapOfAPanel({ folder, progress }: BenchmarkOptions): Promise<Comparison[]> {
  const theirs = await heapOfAnswers()
  const task: ServiceTask = { panels, isLarge: true, eventEvery: 0 }
  const service = fork(serviceProcess, [JSON.stringify(task)])
  try {
    const [{ serials, userCode, ...raw }] = (await once(service, 'message')) as [ServiceAddress]
    const place = await mkdtemp(join(folder, 'panels-'))
    const account = openAccount({ ...raw }, unbounded, place)
    const open = (serial: string) => openPanel(account, { serial, userCode }, place, hourly, () => {}).panel
    const [first = '', ...others] = serials
    const opened = [open(first)]
    const read = async () => {
      const watches = opened.flatMap(({ state, devices, events }) => [state, devices, events])
      while (!watches.every(({ latest }) => latest !== undefined)) await pause(200)
      return heap()
    }
    // Data that all panels share is already loaded.
    const before = await read()
    for (let nth = 0; nth < others.length; nth += 100) {
      progress(`${nth} of ${panels} panels opened`)
      opened.push(...others.slice(nth, nth + 100).map(open))
      await read()
    }
    const ours = ((await read()) - before) / others.length
    return [{ what: `at ${panels} panels`, ours: ours / 1e3, theirs: theirs / 1e3, unit: 'kB', goal: 0.2 }]
  } finally {
    service.kill()
  }
}

/** Bytes of the answers of one panel in memory. */
async function heapOfAnswers(): Promise<number> {
  const count = 50
  const json = [devices(64), eventsFrom(0, 1000)].map((answer) => JSON.stringify(answer))
  const before = await heap()
  const kept = Array.from({ length: count }, () => json.map((text) => JSON.parse(text)))
  return ((await heap()) - before) / kept.length
}

async function heap(): Promise<number> {
  await collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  // Typed arrays are stored outside the heap.
  return heapUsed + arrayBuffers
}

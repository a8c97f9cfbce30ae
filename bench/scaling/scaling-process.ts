/**
 * A process with a given number of panels of one account, like a Node-RED would have them; it sends their
 * cost.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Panel } from '../../src/panel/panel.ts'
import { openAccount, openPanel } from '../client.ts'
import { mean, quantile } from '../comparison.ts'
import type { ServiceAddress, ServiceTask } from '../service-process.ts'

/** The cost of this number of panels. */
export interface ScalingResult {
  panels: number
  /** Percent of a core. */
  processor: number
  /** Resident memory in megabytes. */
  memory: number
  /** HTTP attempts per minute, as counted by the client. */
  attempts: number
  /** Seconds from an event to its delivery: mean, and 99th percentile. */
  eventAge: number
  eventAgeP99: number
  /** Number of events in these statistics. */
  events: number
  /** Seconds from the start until all panels have told their state. */
  start: number
  /** Seconds from the start until all panels have told their events and devices too. */
  complete: number
}

/** The default intervals of the nodes, in seconds. */
const intervals = { stateEvery: 30, eventsEvery: 60, devicesEvery: 300 }
/** The maximum cap of an account; the default of 30 is enough for five panels. */
const requestsPerMinute = 6000
const lasts = 180_000

const panels = Number(process.argv[2])
// A list contains 60 events, and a single panel must not have more between two polls.
const task: ServiceTask = { panels, isLarge: false, eventEvery: panels === 1 ? 2000 : 500 }
const service = fork(fileURLToPath(new URL('../service-process.js', import.meta.url)), [JSON.stringify(task)])
const [{ serials, userCode, ...raw }] = (await once(service, 'message')) as [ServiceAddress]
const folder = await mkdtemp(join(tmpdir(), 'keyholder-scaling-'))
const account = openAccount({ ...raw }, requestsPerMinute, folder)
const ages: number[] = []
const began = performance.now()
const opened = serials.map((serial) =>
  openPanel(account, { serial, userCode }, folder, intervals, ({ event }) => {
    // The description of each event contains its time.
    ages.push((Date.now() - Number(event.description)) / 1000)
  }),
)
const secondsUntil = async (isReady: (panel: Panel) => boolean) => {
  while (!opened.every(({ panel }) => isReady(panel))) await pause(100)
  return (performance.now() - began) / 1000
}
const start = await secondsUntil(({ state }) => state.latest !== undefined)
const complete = await secondsUntil(({ events, devices }) => !!events.latest && !!devices.latest)
// Exclude the requests and the garbage of the start from the measurement.
await pause(30_000)
service.send('begin')
const usage = process.cpuUsage()
const used: number[] = []
for (let minute = 0; minute < lasts / 60_000; minute += 1) {
  await pause(60_000)
  used.push(account.rateLimiter.figures.usedLastMinute)
}
const { user, system } = process.cpuUsage(usage)
globalThis.gc?.()
const result: ScalingResult = {
  panels,
  processor: (user + system) / 10 / lasts,
  memory: process.memoryUsage.rss() / 1e6,
  attempts: mean(used),
  eventAge: mean(ages),
  eventAgeP99: quantile(ages, 0.99),
  events: ages.length,
  start,
  complete,
}
process.send?.(result)
for (const { stop } of opened) await stop()
service.kill()
await rm(folder, { recursive: true, force: true, maxRetries: 5 })
process.disconnect?.()
process.exit()

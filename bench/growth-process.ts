/** A process with so many panels of one account, as a Node-RED would have them; it sends what they cost. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { listenedPanel, openAccount } from './client.ts'
import { mean, quantile } from './comparison.ts'
import type { ServiceAddress, ServiceTask } from './service-process.ts'

/** What so many panels cost. */
export interface GrowthFigures {
  panels: number
  /** Percent of a core. */
  processor: number
  /** Megabytes resident. */
  memory: number
  /** HTTP attempts in a minute, of the client's own count. */
  attempts: number
  /** Seconds from an event to the moment in which it is told: mean, and that below which lie 99 of 100. */
  eventAge: number
  eventAgeP99: number
  /** How many events that is of. */
  events: number
  /** Seconds from the start until all panels had answered once. */
  start: number
}

/** As the nodes have them from the start. */
const intervals = { stateEvery: 30, eventsEvery: 60, devicesEvery: 300 }
/** The largest cap that an account takes; the default of 30 is enough for five panels. */
const requestsPerMinute = 6000
const lasts = 180_000

const panels = Number(process.argv[2])
// A list holds 60 events, and one panel alone must not have more between two polls.
const task: ServiceTask = { panels, isLarge: false, eventEvery: panels === 1 ? 2000 : 500 }
const service = fork(fileURLToPath(new URL('service-process.js', import.meta.url)), [JSON.stringify(task)])
const [{ serials, userCode, ...raw }] = (await once(service, 'message')) as [ServiceAddress]
const folder = await mkdtemp(join(tmpdir(), 'keyholder-growth-'))
const account = openAccount({ ...raw }, requestsPerMinute, folder)
const ages: number[] = []
const began = performance.now()
const opened = serials.map((serial) =>
  listenedPanel(account, { serial, userCode }, folder, intervals, ({ event }) => {
    // Each event of the service says in its description when it happened.
    ages.push((Date.now() - Number(event.description)) / 1000)
  }),
)
while (!opened.every(({ panel }) => panel.events.latest && panel.state.latest && panel.devices.latest)) {
  await pause(100)
}
const start = (performance.now() - began) / 1000
// What the start has piled up, of calls and of garbage, is not to be counted.
await pause(30_000)
service.send('begin')
const usage = process.cpuUsage()
const used: number[] = []
for (let minute = 0; minute < lasts / 60_000; minute += 1) {
  await pause(60_000)
  used.push(account.budget.usedLastMinute)
}
const { user, system } = process.cpuUsage(usage)
globalThis.gc?.()
const figures: GrowthFigures = {
  panels,
  processor: (user + system) / 10 / lasts,
  memory: process.memoryUsage.rss() / 1e6,
  attempts: mean(used),
  eventAge: mean(ages),
  eventAgeP99: quantile(ages, 0.99),
  events: ages.length,
  start,
}
process.send?.(figures)
for (const { stop } of opened) await stop()
service.kill()
await rm(folder, { recursive: true, force: true, maxRetries: 5 })
process.disconnect?.()
process.exit()

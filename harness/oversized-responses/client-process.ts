/**
 * A process that runs only the client, to measure the cost of a response.
 *
 * It sends requests with small responses, then the message `ready`. On the next message it sends the request with the
 * oversized response, and then reports the cost.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { accountSettings } from '../../src/account/account-settings.ts'
import { HttpClient } from '../../src/account/http/http-client.ts'
import { systemClock } from '../../src/clock.ts'
import { eventMessage } from '../../src/messages/event-message.ts'
import { message } from '../../src/messages/message.ts'
import { ReadingsReport } from '../../src/messages/readings-messages.ts'
import { StateReport } from '../../src/messages/state-message.ts'
import { readings } from '../../src/panel/devices/readings.ts'
import { Panel } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/panel-settings.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { Catalogue } from '../../src/service/catalogue/catalogue.ts'
import { isQueryable, queryable } from '../../src/service/operations.ts'
import { type Cost, measureCost, yardstick } from './load-meter.ts'

/** The argument of the process. */
export interface ClientTask {
  /** `fetch` for one HTTP request; otherwise the data that a node reads from a panel, or a query by its name. */
  ask: 'attempt' | 'events' | 'devices' | 'state' | `query ${string}`
  url: string
  /** The timeout of the account in seconds. */
  timeout: number
  /** The credentials for requests about a panel. */
  account?: { email: string; password: string; serial: string; userCode: string }
  /** True to take a yardstick too, in the same process afterwards. */
  hasYardstick?: boolean
}

/** The result of the request with the oversized response. */
export interface ClientResult extends Cost {
  /** The code of the error, the HTTP status, or the number of messages. */
  said: string
  sentence: string
  /** The length of the longest topic in characters. */
  topic: number
  /** Milliseconds; 0 where the task wants none. See `yardstick`. */
  yardstick: number
}

const task = JSON.parse(process.argv[2] ?? '') as ClientTask
const { signal } = new AbortController()
const folder = mkdtempSync(join(tmpdir(), 'keyholder-heavy-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const patientTimeout = 60
const ask: (path: string) => Promise<{ said: string; topic: number }> =
  task.ask === 'attempt' ? attempt(task.timeout) : questions()
// The timeout of small responses is long, so that only the oversized one can exceed it on a busy machine.
const askLight = task.ask === 'attempt' ? attempt(patientTimeout) : ask
for (let light = 0; light < 10; light += 1) await askLight('light')
process.send?.('ready')
await once(process, 'message')
const { result, ...cost } = await measureCost(
  () =>
    ask('heavy').then(
      ({ said, topic }) => ({ said, sentence: '', topic }),
      ({ code, message: sentence }) => ({ said: String(code), sentence, topic: 0 }),
    ),
  task.timeout * 1000,
)
process.send?.({ ...cost, ...result, yardstick: task.hasYardstick ? yardstick() : 0 }, () => process.exit())

function attempt(timeout: number) {
  const httpClient = new HttpClient({ timeout, caFile: '' }, systemClock)
  return async (path: string) => {
    const { status } = await httpClient.fetch({
      method: 'GET',
      url: `${task.url}/${path}`,
      headers: {},
      signal,
    })
    return { said: String(status), topic: 0 }
  }
}

/** Returns a function that sends a request and creates messages as the nodes do. */
function questions(): () => Promise<{ said: string; topic: number }> {
  const { email, password, serial, userCode } = task.account ?? {}
  const raw = { url: task.url, email, password, requestsPerMinute: 6000, timeout: task.timeout }
  const settings = accountSettings(raw, { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: '' })
  const surroundings = { clock: systemClock, folder, random: Math.random }
  const account = new Account(settings, new AccountRegistry(systemClock), surroundings, () => {})
  const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
  const hour = 3600
  const every = { stateEvery: hour, eventsEvery: hour, devicesEvery: hour }
  const panel = new Panel(
    panelSettings({ id: 'panel', serial, userCode, ...every }, undefined),
    account,
    folder,
    reports,
  )
  const states = new StateReport({ partitions: [], vocabulary: 'native' })
  const devices = new ReadingsReport({ devices: [], kinds: [], deltas: {} })
  let told: { topic: string }[] = []
  const listener = {
    policy: { first: 'deliver', missed: 'deliver' } as const,
    events: (deliveries: readonly Parameters<typeof eventMessage>[0][], snapshot: Snapshot<Catalogue>) => {
      const catalogue = snapshot.view
      told = deliveries.map((one) => eventMessage(one, catalogue, panel.sourceOf(snapshot), 'Europe/Berlin'))
    },
    gap: () => {},
    cursor: () => {},
  }
  panel.eventDeliveries.subscribe({ id: 'node', instances: 'one' }, listener)
  const makers: Record<string, () => Promise<{ topic: string }[]>> = {
    events: async () => {
      told = []
      await panel.events.read(signal)
      return told
    },
    devices: async () => {
      const snapshot = await panel.devices.read(signal)
      return devices.messages(readings(snapshot.view, 'Europe/Berlin'), panel.sourceOf(snapshot), 'all')
    },
    state: async () => {
      const snapshot = await panel.state.read(signal)
      return states.messages(snapshot.view, panel.sourceOf(snapshot), 'all', snapshot.at)
    },
  }
  const operation = task.ask.replace('query ', '')
  const query = async () => {
    if (!isQueryable(operation)) throw new Error(`no operation ${operation}`)
    const snapshot = await panel.fetchOperation(queryable[operation], { lane: 'urgent', maxAge: 0, signal })
    return [message(panel.sourceOf(snapshot), `query/${operation}`, structuredClone(snapshot.view))]
  }
  const make = makers[task.ask] ?? query
  return async () => {
    const messages = await make()
    const topic = messages.reduce((longest, one) => Math.max(longest, one.topic.length), 0)
    return { said: `${messages.length} messages`, topic }
  }
}

/**
 * A process with the product's own cluster, accounts and panels, as a Node-RED has them. What its events node sends goes
 * to a file at once, so that it is known after a kill. It answers questions of its parent process, and ends with it.
 */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { panelStoresOf } from '../../../nodes/config/open-account.ts'
import { Account } from '../../../src/account/account.ts'
import type { AccountHealth } from '../../../src/account/account-health.ts'
import { AccountRegistry } from '../../../src/account/account-registry.ts'
import { accountSettings } from '../../../src/account/account-settings.ts'
import { RejectedCredentials } from '../../../src/account/service-user/auth/rejected-credentials.ts'
import { systemClock } from '../../../src/clock.ts'
import { Cluster, type ClusterOptions } from '../../../src/cluster/cluster.ts'
import { clusterSettings } from '../../../src/cluster/cluster-settings.ts'
import { Panel } from '../../../src/panel/panel.ts'
import type { PanelHealth } from '../../../src/panel/panel-health.ts'
import { panelSettings } from '../../../src/panel/panel-settings.ts'
import { operations } from '../../../src/service/operations.ts'
import { panelName } from './panel-name.ts'

/** The user of an account, and the panels of which the process uses some. */
export interface AccountTask {
  url: string
  email: string
  password: string
  userCode: string
  serials: readonly string[]
  requestsPerMinute: number
  /** The number of callers that always want another answer; 0 by default. */
  callers?: number
  /** Seconds between the polls of each panel; without it the panels are not opened. */
  intervals?: { stateEvery: number; eventsEvery: number; devicesEvery: number }
}

/** The work of a process; its only argument, as JSON. */
export interface PanelTask {
  /** The address of the Redis server; without it, the process is alone. */
  redis?: string
  clusterName?: string
  instance: string
  times?: ClusterOptions['times']
  /** A folder of its own, which stays when the process is killed. */
  folder: string
  /** A file to which each sent event is appended. */
  told: string
  accounts: readonly AccountTask[]
}

/** A question of the parent process. */
export type Question =
  | { ask: 'report' }
  /** Reads the state of the first panel of the first account this number of times at once. */
  | { ask: 'calls'; count: number }

/** The answer to `report`. */
export interface PanelReport {
  state: string
  instances: readonly string[]
  leases: { wanted: number; held: number }
  /** Seconds of processor time of the process since its start, and megabytes that are resident. */
  processor: number
  memory: number
  /** The health of each account and of its panels, as the health node tells it. */
  health: readonly { account: AccountHealth; panels: readonly PanelHealth[] }[]
}

const task: PanelTask = JSON.parse(process.argv[2] ?? '{}')
// What is measured is not the hashing of known passwords; see harness/mocha/hashing-cost.ts.
RejectedCredentials.cost = 512

const { redis: address, clusterName = 'test', instance, times, folder } = task
const cluster =
  address === undefined
    ? undefined
    : new Cluster(clusterSettings({ address, clusterName, instance }), {
        clock: systemClock,
        ...(times === undefined ? {} : { times }),
      })
cluster?.open()
while (cluster?.status.state === 'connecting') await pause(5)

const registry = new AccountRegistry(systemClock)
const told = openSync(task.told, 'a')
const opened = task.accounts.map(openAccount)
process.on('message', (question: Question & { id: number }) => {
  void answer(question).then((reply) => process.send?.({ id: question.id, reply }))
})
process.once('disconnect', () => process.exit())
process.send?.('ready')

function openAccount({ requestsPerMinute, serials, userCode, intervals, callers = 0, ...raw }: AccountTask) {
  const settings = accountSettings(raw, { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: '' })
  const account = new Account(
    { ...settings, requestsPerMinute },
    registry,
    { clock: systemClock, folder, random: Math.random, ...(cluster === undefined ? {} : { cluster }) },
    () => {},
  )
  for (let nth = 0; nth < callers; nth += 1) void call(account, { serial: serials[0] ?? '', userCode }, nth)
  const panels = intervals === undefined ? [] : serials.map((serial) => openPanel(serial))
  return { account, panels, key: { serial: serials[0] ?? '', userCode } }

  function openPanel(serial: string): Panel {
    // Its files lie beside those of panels of other services with the same serial.
    const id = `panel ${new URL(raw.url).port} ${serial}`
    const settings = panelSettings({ id, serial, userCode, ...intervals }, undefined, 1)
    const stores = panelStoresOf(
      {
        account,
        folder,
        demo: undefined,
        cluster: cluster && {
          cluster,
          tried: Promise.resolve(),
          onChange: () => () => {},
          release: () => {},
        },
        release: async () => {},
      },
      settings,
      () => {},
    )
    const node = { id: 'node', instances: 'one' } as const
    const name = panelName(raw.url, serial)
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const panel = new Panel(settings, account, folder, reports, stores)
    panel.eventDeliveries.subscribe(node, {
      policy: { first: 'deliver', missed: 'deliver' },
      events: (deliveries) => {
        for (const { event, redelivered } of deliveries) {
          writeSync(told, `${name} ${event.event} ${redelivered ? 'redelivered' : 'new'}\n`)
        }
      },
      gap: () => writeSync(told, `${name} gap new\n`),
    })
    for (const poller of [panel.state, panel.devices, panel.events])
      poller.subscribe({ snapshot: () => {}, condition: () => {} }, node)
    return panel
  }
}

/** Asks again as soon as it is answered. */
async function call(
  account: Account,
  panel: { serial: string; userCode: string },
  nth: number,
): Promise<never> {
  const { signal } = new AbortController()
  const lane = nth % 2 === 0 ? 'poll' : 'urgent'
  for (;;) {
    await account
      .sendRead(operations.status, { lane, maxAge: 0, panel, locale: `${nth}`, signal })
      .catch(() => pause(100))
  }
}

async function answer(question: Question): Promise<unknown> {
  if (question.ask === 'report') {
    const { user, system } = process.cpuUsage()
    const { state = 'alone', instances = [], leases = { wanted: 0, held: 0 } } = cluster?.status ?? {}
    const report: PanelReport = {
      state,
      instances,
      leases,
      processor: (user + system) / 1e6,
      memory: process.memoryUsage.rss() / 1e6,
      health: opened.map(({ account, panels }) => ({
        account: account.health,
        panels: panels.map(({ health }) => health),
      })),
    }
    return report
  }
  const [first] = opened
  if (first === undefined) return 0
  const ends = await Promise.allSettled(
    Array.from({ length: question.count }, (_, nth) =>
      first.account.sendRead(operations.status, {
        lane: 'urgent',
        maxAge: 0,
        panel: first.key,
        locale: `call ${nth}`,
        signal: new AbortController().signal,
      }),
    ),
  )
  return ends.filter(({ status }) => status === 'fulfilled').length
}

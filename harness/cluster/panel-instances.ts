import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { accountSettings } from '../../src/account/account-settings.ts'
import { type Clock, systemClock } from '../../src/clock.ts'
import type { DeliveringNode } from '../../src/panel/lease.ts'
import { Panel } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/panel-settings.ts'
import type { PollCondition, Poller } from '../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { RawSettings } from '../../src/settings.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'
import type { RedisServer } from '../redis-server.ts'
import { type ClusterInstance, ClusterInstances } from './cluster-instances.ts'

/** An instance with one panel. */
export interface PanelInstance extends ClusterInstance {
  panel: Panel
}

/** A node of an instance, with all that it has received. */
export interface ReceivingNode<T> {
  readonly views: Snapshot<T>[]
  readonly conditions: PollCondition[]
  /** The latest condition: its state, and who sends if it stands by. */
  readonly status: string
  leave(): void
}

/** Instances of one cluster whose accounts are the same user of a simulator, each as if in a process of its own. */
export class PanelInstances {
  readonly simulator: Simulator
  readonly #instances: ClusterInstances
  readonly #folders: string[] = []

  private constructor(server: RedisServer, simulator: Simulator) {
    this.simulator = simulator
    this.#instances = new ClusterInstances(server)
  }

  static async start(server: RedisServer): Promise<PanelInstances> {
    return new PanelInstances(server, await startSimulator())
  }

  /** Adds an instance whose panel has these settings. */
  async add(
    instance: string,
    settings: RawSettings = {},
    clock: Clock = systemClock,
  ): Promise<PanelInstance> {
    const added = await this.#instances.add(instance, clock)
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    this.#folders.push(folder)
    const { url, email, password } = this.simulator
    const checked = accountSettings(
      { url, email, password, requestsPerMinute: 6000 },
      { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: 'test' },
    )
    const environment = { clock, folder, random: () => 0.5, cluster: added.cluster }
    const account = new Account(checked, new AccountRegistry(clock), environment, () => {})
    return { ...added, panel: this.#openPanel(added, account, settings) }
  }

  /** Opens the panel of an instance once more, as a second config node with the same serial does. */
  openTwin(instance: PanelInstance): Panel {
    return this.#openPanel(instance, instance.panel.account, { id: 'twin' })
  }

  #openPanel({ cluster }: ClusterInstance, account: Account, settings: RawSettings): Panel {
    const { serials, userCode } = this.simulator
    const raw = { id: 'panel', serial: serials[0], userCode, stateEvery: 0.2, eventsEvery: 0.2, ...settings }
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const stores = cluster.panels.stores('panel1')
    return new Panel(panelSettings(raw, undefined, 0.01), account, tmpdir(), reports, stores)
  }

  /** Kills an instance, and lets the others see at once what the end of its lease shows them. */
  killAndExpire(instance: PanelInstance): Promise<void> {
    return this.#instances.killAndExpire(instance)
  }

  async close(): Promise<void> {
    await this.#instances.close()
    await this.simulator.close()
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Subscribes a node to a part of a panel. */
export function addNode<T>(poller: Poller<Snapshot<T>>, node: string | DeliveringNode): ReceivingNode<T> {
  const [views, conditions]: [Snapshot<T>[], PollCondition[]] = [[], []]
  const leave = poller.subscribe(
    {
      snapshot: (view) => {
        views.push(view)
      },
      condition: (condition) => {
        conditions.push(condition)
      },
    },
    typeof node === 'string' ? { id: node, instances: 'one' } : node,
  )
  return {
    views,
    conditions,
    get status() {
      const latest = conditions.at(-1)
      return latest?.state === 'standby' ? `standby: ${latest.holder}` : `${latest?.state}`
    },
    leave,
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry, digest } from '../../src/account/account-registry.ts'
import { accountSettings } from '../../src/account/account-settings.ts'
import { systemClock } from '../../src/clock.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { RedisServer } from '../redis-server.ts'
import { ClusterInstances, shortTimes } from './cluster-instances.ts'

/** Instances of one cluster that command the panels of a simulator, in real time. */
export class CommandedInstances {
  readonly #instances: ClusterInstances
  readonly #simulator: Simulator
  #folders: string[] = []
  readonly #panels: Panel[] = []

  constructor(server: RedisServer, simulator: Simulator) {
    this.#instances = new ClusterInstances(server, { quiet: shortTimes.quiet })
    this.#simulator = simulator
  }

  /** Adds an instance; returns its panels, one for each of the simulator. */
  async add(name: string): Promise<Panel[]> {
    const { cluster } = await this.#instances.add(name)
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    this.#folders.push(folder)
    const { url, email, password, userCode, serials } = this.#simulator
    const settings = accountSettings(
      { url, email, password, requestsPerMinute: 6000 },
      { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: 'test' },
    )
    const dependencies = { clock: systemClock, folder, random: Math.random, cluster }
    const account = new Account(settings, new AccountRegistry(systemClock), dependencies, () => {})
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const every = { stateEvery: 30_000, eventsEvery: 60_000, devicesEvery: 300_000 }
    return serials.map((serial) => {
      const own = { id: serial, name: 'House', serial, userCode, allowCommands: true, ...every }
      const panel = digest(new URL(url).host, serial)
      const stores = { ...cluster.panelStores(panel), commandQueue: cluster.commandQueue(panel, serial) }
      const opened = new Panel(own, account, folder, reports, stores)
      this.#panels.push(opened)
      return opened
    })
  }

  async close(): Promise<void> {
    for (const panel of this.#panels.splice(0)) await panel.close()
    await this.#instances.close()
    for (const folder of this.#folders.splice(0)) {
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    }
  }
}

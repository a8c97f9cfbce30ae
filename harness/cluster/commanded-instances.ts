import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry, digest } from '../../src/account/account-registry.ts'
import { accountSettings } from '../../src/account/account-settings.ts'
import { systemClock } from '../../src/clock.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { RedisServer } from '../redis-server.ts'
import { type ClusterInstance, ClusterInstances, shortTimes } from './cluster-instances.ts'

/** An instance with one panel. */
export interface CommandedInstance extends ClusterInstance {
  panel: Panel
}

/** Instances of one cluster that command the panels of a simulator, in real time. */
export class CommandedInstances {
  /** The errors that the instances have told to Catch nodes. */
  readonly outages: KeyholderError[] = []
  readonly #instances: ClusterInstances
  readonly #simulator: Simulator
  #folders: string[] = []
  readonly #panels: Panel[] = []

  constructor(server: RedisServer, simulator: Simulator) {
    this.#instances = new ClusterInstances(server, { quiet: shortTimes.quiet })
    this.#simulator = simulator
  }

  /**
   * Adds an instance; returns its panels, one for each of the simulator.
   * @param own its settings of the cluster that are not those of the others
   */
  async add(name: string, own: RawSettings = {}): Promise<Panel[]> {
    return (await this.#open(name, own)).panels
  }

  /** Adds an instance with the first panel of the simulator. */
  async addOne(name: string): Promise<CommandedInstance> {
    const { panels, ...instance } = await this.#open(name)
    return { ...instance, panel: panels[0] as Panel }
  }

  /** Kills an instance, and lets the others see at once what the end of its session shows them. */
  killAndExpire(instance: CommandedInstance): Promise<void> {
    return this.#instances.killAndExpire(instance)
  }

  async #open(name: string, own: RawSettings = {}): Promise<ClusterInstance & { panels: Panel[] }> {
    const instance = await this.#instances.add(name, systemClock, own)
    const { cluster } = instance
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    this.#folders.push(folder)
    const { url, email, password, userCode, serials } = this.#simulator
    const settings = accountSettings(
      { url, email, password, requestsPerMinute: 6000 },
      { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: 'test' },
    )
    const dependencies = { clock: systemClock, folder, random: Math.random, cluster }
    const account = new Account(settings, new AccountRegistry(systemClock), dependencies, () => {})
    const reports = {
      outage: (error: KeyholderError) => {
        this.outages.push(error)
      },
      recovery: () => {},
      notice: () => {},
    }
    const every = { stateEvery: 30_000, eventsEvery: 60_000, devicesEvery: 300_000 }
    const digestOf = (serial: string) => digest(new URL(url).host, serial)
    const panels = serials.map((serial) => {
      const own = { id: serial, name: 'House', serial, userCode, allowCommands: true, ...every }
      const panel = digestOf(serial)
      const stores = { ...cluster.panels.stores(panel), ...cluster.panels.commands(panel, serial) }
      const opened = new Panel(own, account, folder, reports, stores)
      this.#panels.push(opened)
      return opened
    })
    return { ...instance, panels }
  }

  async close(): Promise<void> {
    for (const panel of this.#panels.splice(0)) await panel.close()
    await this.#instances.close()
    for (const folder of this.#folders.splice(0)) {
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    }
  }
}

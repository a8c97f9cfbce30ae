import { setMaxListeners } from 'node:events'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { type AccountSettings, accountSettings } from '../../src/account/account-settings.ts'
import type { Clock } from '../../src/clock.ts'
import type { DeliveredEvent } from '../../src/panel/events/subscription.ts'
import { Panel } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/panel-settings.ts'
import type { RawSettings } from '../../src/settings.ts'
import { ProcessClock } from '../clock/process-clock.ts'

/** The polls of a panel. */
export const polled = ['state', 'events', 'devices'] as const

/** The options of a simulated process. */
export interface SimulatedProcessOptions {
  clock: Clock
  /** The folder of the files that survive the process. */
  folder: string
  account: RawSettings
  /** Settings of the panels, with fixed intervals in seconds. */
  panels: readonly ({ serial: string; userCode: string } & RawSettings)[]
  /** The ids of the event nodes of each panel. */
  eventNodes: readonly string[]
}

/** Is notified of everything that the flows of a process receive. */
export interface ProcessListener {
  event(serial: string, node: string, delivery: DeliveredEvent): void
  gap(serial: string, node: string): void
  /** Called for each snapshot; `at` is the time of its response, `nodes` are the subscribed event nodes. */
  snapshot(serial: string, what: (typeof polled)[number], at: number, nodes: readonly string[]): void
}

/**
 * Simulates a Node-RED process without Node-RED: opens an account and its panels like config nodes, and subscribes
 * like flow nodes. For a restart, kill it and create another one with the same folder.
 */
export class SimulatedProcess {
  readonly #setup: SimulatedProcessOptions
  readonly #listener: ProcessListener
  readonly #clock: ProcessClock
  readonly #shared: AccountRegistry
  #account: Account | undefined
  #panels: Panel[] = []
  /** The functions that unsubscribe event nodes, by panel and node. */
  readonly #joined = new Map<Panel, Map<string, () => void>>()
  /** The functions that end the other subscriptions. */
  readonly #stops: (() => void)[] = []
  readonly #removed = new Set<string>()
  #life = new AbortController()

  constructor(setup: SimulatedProcessOptions, ear: ProcessListener) {
    this.#setup = setup
    this.#listener = ear
    this.#clock = new ProcessClock(setup.clock)
    this.#shared = new AccountRegistry(this.#clock)
    this.#open()
  }

  /** The number of timers that have not run yet. */
  get pendingTimers(): number {
    return this.#clock.pending
  }

  /** The polls that currently fail, with panel and state. */
  get unhealthyPolls(): string[] {
    return this.#panels.flatMap((panel) =>
      polled
        .filter((what) => panel[what].condition.state !== 'fine')
        .map((what) => `${panel.settings.serial} ${what} ${panel[what].condition.state}`),
    )
  }

  /** Deploys everything: closes all nodes and opens them again in the same process. */
  async deploy(): Promise<void> {
    const panels = this.#panels
    this.#life.abort()
    for (const stop of this.#stops.splice(0)) stop()
    for (const nodes of this.#joined.values()) for (const leave of nodes.values()) leave()
    this.#joined.clear()
    await Promise.all(panels.map((panel) => panel.eventDeliveries.close()))
    if (this.#account !== undefined) await this.#shared.release(this.#account)
    this.#open()
  }

  /** Makes every panel poll its events as soon as the clock moves. */
  pollEvents(): void {
    for (const panel of this.#panels) panel.events.pollNow()
  }

  /** Reads the state of every panel, like the press of a button. */
  readStates(): void {
    // A deploy aborts the reads, and outages of the service are expected.
    for (const panel of this.#panels) panel.state.read(this.#life.signal).catch(() => {})
  }

  /** Removes an event node from all panels. */
  removeNode(node: string): void {
    this.#removed.add(node)
    for (const nodes of this.#joined.values()) {
      nodes.get(node)?.()
      nodes.delete(node)
    }
  }

  /** Adds a removed event node again. */
  restoreNode(node: string): void {
    if (!this.#removed.delete(node)) return
    for (const [panel, nodes] of this.#joined) nodes.set(node, this.#joinEvents(panel, node))
  }

  /** Kills the process; no I/O must be pending. */
  kill(): void {
    this.#clock.stop()
  }

  #open(): void {
    const { folder, account, panels } = this.#setup
    this.#life = new AbortController()
    setMaxListeners(0, this.#life.signal)
    const surroundings = { clock: this.#clock, folder, random: Math.random }
    this.#account = new Account(checked(account), this.#shared, surroundings, () => {})
    for (const [index, panel] of panels.entries()) {
      const settings = panelSettings({ id: `panel${index}`, ...panel }, undefined)
      const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
      this.#listen(new Panel(settings, this.#account, folder, reports))
    }
    this.#panels = [...this.#joined.keys()]
  }

  #listen(panel: Panel): void {
    const nodes = this.#setup.eventNodes.filter((node) => !this.#removed.has(node))
    const joined = new Map(nodes.map((node) => [node, this.#joinEvents(panel, node)]))
    this.#joined.set(panel, joined)
    const { serial } = panel.settings
    for (const what of polled) {
      const told = ({ at }: { at: number }) => this.#listener.snapshot(serial, what, at, [...joined.keys()])
      this.#stops.push(panel[what].subscribe({ snapshot: told, condition: () => {} }))
      // Represents all other subscribers: they share one poll.
      this.#stops.push(panel[what].subscribe({ snapshot: () => {}, condition: () => {} }))
    }
  }

  /** Subscribes like the node `keyholder-events`. */
  #joinEvents(panel: Panel, node: string): () => void {
    const { serial } = panel.settings
    const leave = panel.eventDeliveries.subscribe(
      { id: node, instances: 'one' },
      {
        policy: { first: 'skip', missed: 'deliver' },
        events: (deliveries) => {
          for (const delivery of deliveries) this.#listener.event(serial, node, delivery)
        },
        gap: () => this.#listener.gap(serial, node),
      },
    )
    const stop = panel.events.subscribe({ snapshot: () => {}, condition: () => {} })
    panel.events.pollNow()
    return () => {
      leave()
      stop()
    }
  }
}

function checked(raw: RawSettings): AccountSettings {
  return accountSettings(raw, { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: 'test' })
}

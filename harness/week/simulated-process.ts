import { setMaxListeners } from 'node:events'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { type AccountSettings, accountSettings } from '../../src/account/account-settings.ts'
import type { Clock } from '../../src/clock.ts'
import type { DeliveredEvent } from '../../src/panel/events/event-delivery.ts'
import { Panel } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/panel-settings.ts'
import type { RawSettings } from '../../src/settings.ts'
import { ProcessClock } from '../clock/process-clock.ts'

/** What is polled of a panel. */
export const polled = ['state', 'events', 'devices'] as const

/** What a pretended process runs, and where. */
export interface SimulatedProcessOptions {
  clock: Clock
  /** All that outlives the process. */
  folder: string
  account: RawSettings
  panels: readonly { serial: string; userCode: string }[]
  /** Ids of the event nodes of each panel. */
  eventNodes: readonly string[]
}

/** Who is told of everything that the flows of a process hear. */
export interface ProcessListener {
  event(serial: string, node: string, delivery: DeliveredEvent): void
  gap(serial: string, node: string): void
  /** An answer that came at `at` was told; `nodes` are the event nodes that listened. */
  snapshot(serial: string, what: (typeof polled)[number], at: number, nodes: readonly string[]): void
}

/**
 * What runs in one Node-RED process, without Node-RED: an account and its panels as the config nodes make them, and
 * listeners as the flow nodes do. A restart is a kill and another one with the same folder.
 */
export class SimulatedProcess {
  readonly #setup: SimulatedProcessOptions
  readonly #listener: ProcessListener
  readonly #clock: ProcessClock
  readonly #shared: AccountRegistry
  #account: Account | undefined
  #panels: Panel[] = []
  /** What takes an event node off, by panel and then by node. */
  readonly #joined = new Map<Panel, Map<string, () => void>>()
  /** What ends the other listeners. */
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

  /** Timers that are still to run. */
  get pendingTimers(): number {
    return this.#clock.pending
  }

  /** What is not well at the moment: panel and poll. */
  get unhealthyPolls(): string[] {
    return this.#panels.flatMap((panel) =>
      polled
        .filter((what) => panel[what].condition.state !== 'fine')
        .map((what) => `${panel.settings.serial} ${what} ${panel[what].condition.state}`),
    )
  }

  /** A full deploy: everything is closed, and made anew in the same process. */
  async deploy(): Promise<void> {
    const panels = this.#panels
    this.#life.abort()
    for (const stop of this.#stops.splice(0)) stop()
    for (const nodes of this.#joined.values()) for (const leave of nodes.values()) leave()
    this.#joined.clear()
    await Promise.all(panels.map((panel) => panel.eventDelivery.close()))
    if (this.#account !== undefined) this.#shared.release(this.#account)
    this.#open()
  }

  /** Lets every panel ask for its events as soon as the clock moves. */
  pollEvents(): void {
    for (const panel of this.#panels) panel.events.pollNow()
  }

  /** Somebody asks for the state of every panel. */
  readStates(): void {
    // Whoever asks is gone with the next deploy, and a service that is away is no news.
    for (const panel of this.#panels) panel.state.read(this.#life.signal).catch(() => {})
  }

  /** Takes an event node off the flow, at all panels. */
  removeNode(node: string): void {
    this.#removed.add(node)
    for (const nodes of this.#joined.values()) {
      nodes.get(node)?.()
      nodes.delete(node)
    }
  }

  /** Puts an event node back onto the flow. */
  restoreNode(node: string): void {
    if (!this.#removed.delete(node)) return
    for (const [panel, nodes] of this.#joined) nodes.set(node, this.#joinEvents(panel, node))
  }

  /** The process is gone, whatever it was about to do; nothing must be under way. */
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
      // Stands for all the others: what is polled is polled once for all who listen.
      this.#stops.push(panel[what].subscribe({ snapshot: () => {}, condition: () => {} }))
    }
  }

  /** As the node `keyholder-events` does. */
  #joinEvents(panel: Panel, node: string): () => void {
    const { serial } = panel.settings
    const leave = panel.eventDelivery.subscribe(node, {
      policy: { first: 'skip', missed: 'deliver' },
      events: (deliveries) => {
        for (const delivery of deliveries) this.#listener.event(serial, node, delivery)
      },
      gap: () => this.#listener.gap(serial, node),
    })
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

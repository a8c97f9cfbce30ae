import type { Node, NodeAPI, NodeDef } from 'node-red'
import { systemClock } from '../../src/clock.ts'
import { type HealthMessage, healthMessage, healthPayload } from '../../src/messages/health.ts'
import { HealthChange } from '../../src/messages/health-change.ts'
import { repeat } from '../../src/repeat.ts'
import { guard } from '../shared/guard.ts'
import { manifest } from '../shared/manifest.ts'
import { StatusLight } from '../shared/status-light.ts'
import { amount } from './choices.ts'
import { HealthSubject } from './health-subject.ts'

/** The settings of a health node, as they stand in a flow file. */
export interface HealthDef extends NodeDef {
  account?: string
  panel?: string
  every?: unknown
}

const second = 1000

/** Milliseconds between two looks whether something changed; a look costs the service nothing. */
const lookEvery = second

/** Seconds between heartbeats: more would flood the flow, and timers end at 24 days. */
const heartbeats = { least: 1, most: 7 * 24 * 60 * 60 }

/** What a health node does: it tells how account and panel are, on change, at an interval and on demand. */
export class HealthWatch {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly #every: number
  readonly #light: StatusLight
  readonly #change = new HealthChange()
  readonly #subject: HealthSubject
  readonly #versions = { plugin: '', nodeRed: '', node: process.versions.node }
  readonly #stops: (() => void)[] = []

  /** @param whenStarted has something said as soon as all the flows are there */
  constructor(RED: NodeAPI, node: Node, def: HealthDef, whenStarted: (say: () => void) => void) {
    this.#RED = RED
    this.#node = node
    this.#every = amount(def.every)
    this.#light = new StatusLight(RED, node)
    const chosen = { account: def.account ?? '', panel: def.panel ?? '' }
    this.#subject = new HealthSubject(RED, node, chosen, whenStarted)
  }

  /** Begins to look; `end` ends it. */
  async begin(): Promise<void> {
    this.#repeat(lookEvery, () => this.#look())
    if (this.#every > 0) {
      const interval = second * Math.min(heartbeats.most, Math.max(heartbeats.least, this.#every))
      this.#repeat(interval, () => this.#beat())
    }
    await this.#prepare()
    this.#look()
  }

  /** How account and panel are now, for one who asked; what could not be opened is tried anew. */
  async answer(): Promise<HealthMessage> {
    await this.#prepare()
    return this.#told(this.#now())
  }

  end(): void {
    for (const stop of this.#stops) stop()
    this.#subject.close()
  }

  #repeat(interval: number, work: () => void | Promise<void>): void {
    this.#stops.push(repeat(systemClock, interval, () => guard(this.#node, work)))
  }

  #look(): void {
    const message = this.#now()
    if (this.#change.isDue(message.payload)) this.#node.send({ ...this.#told(message) })
  }

  async #beat(): Promise<void> {
    this.#node.send({ ...this.#told(this.#now()) })
    // What could not be opened may be there by the next one.
    await this.#prepare()
  }

  #told(message: HealthMessage): HealthMessage {
    this.#change.tell(message.payload)
    return message
  }

  async #prepare(): Promise<void> {
    await this.#subject.open()
    this.#versions.plugin ||= (await manifest()).version
    this.#versions.nodeRed ||= await this.#RED.version()
  }

  #now(): HealthMessage {
    const { account, panel, unusable, source } = this.#subject
    const message = healthMessage(
      source,
      healthPayload({ account, panel, unusable, versions: this.#versions }),
    )
    const { status } = message.payload
    if (unusable !== undefined) this.#light.failing(unusable)
    else this.#light.health(status, this.#RED._(`health.status.${status}`))
    return message
  }
}

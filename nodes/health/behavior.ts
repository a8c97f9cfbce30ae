import type { Node, NodeAPI } from 'node-red'
import type { AccountHealth } from '../../src/account/account-health.ts'
import { every, systemClock } from '../../src/clock.ts'
import { second } from '../../src/duration.ts'
import {
  type ClusterFacts,
  HealthChange,
  type HealthFacts,
  type HealthMessage,
  healthMessage,
  healthPayload,
} from '../../src/messages/health-message.ts'
import { type HealthStatus, healthStatus } from '../../src/messages/health-status.ts'
import { mergeInto } from '../../src/messages/message.ts'
import type { PanelHealth } from '../../src/panel/panel-health.ts'
import type { FlowMessage } from '../binding/panel-binding.ts'
import { packageInfo } from '../config/open-account.ts'
import { readSettings } from '../pages/fields.ts'
import { guard } from '../shared/guard.ts'
import { errorText, NodeStatus, pauseText, phrase, type StatusText } from '../shared/node-status.ts'
import { type ChosenDef, HealthSources } from './health-source.ts'
import { settings } from './settings.ts'

/** Milliseconds between two checks for changes; a check sends no request to the service. */
const checkInterval = second

/**
 * Limits of the seconds between heartbeats: more heartbeats would flood the flow, and timers are limited to
 * 24 days.
 */
const heartbeats = { min: 1, max: 7 * 24 * 60 * 60 }

/** Reports the health of account and panel: on change, at an interval and on demand. */
export class HealthMonitor {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly #every: number
  readonly #status: NodeStatus
  readonly #change = new HealthChange()
  readonly #subject: HealthSources
  readonly #versions = { plugin: '', nodeRed: '', node: process.versions.node }
  readonly #cancels: (() => void)[] = []
  #isStopped = false

  /** @param whenStarted runs a callback when all flows have started */
  constructor(RED: NodeAPI, node: Node, def: ChosenDef, whenStarted: (say: () => void) => void) {
    this.#RED = RED
    this.#node = node
    this.#every = readSettings(settings, def).every
    this.#status = new NodeStatus(RED, node)
    this.#subject = new HealthSources(RED, node, def, whenStarted)
  }

  /** Starts the checks; `stop` stops them. */
  async start(): Promise<void> {
    this.#repeat(checkInterval, () => this.#sendIfChanged())
    if (this.#every > 0) {
      const interval = second * Math.min(heartbeats.max, Math.max(heartbeats.min, this.#every))
      this.#repeat(interval, () => this.#sendHeartbeat())
    }
    await this.#prepare()
    if (!this.#isStopped) this.#sendIfChanged()
  }

  /**
   * Returns the current health, merged into an incoming message; retries to open a config node that could not be
   * opened.
   */
  async onInput(incoming: FlowMessage): Promise<FlowMessage[]> {
    await this.#prepare()
    return mergeInto(this.#RED, incoming, [this.#messageOf(this.#look())])
  }

  stop(): void {
    this.#isStopped = true
    for (const stop of this.#cancels) stop()
    this.#subject.close()
    this.#status.stop()
  }

  #repeat(interval: number, work: () => void | Promise<void>): void {
    this.#cancels.push(every(systemClock, interval, () => guard(this.#node, work)))
  }

  #sendIfChanged(): void {
    const facts = this.#look()
    if (this.#change.isDue(facts)) this.#node.send({ ...this.#messageOf(facts) })
  }

  async #sendHeartbeat(): Promise<void> {
    this.#node.send({ ...this.#messageOf(this.#look()) })
    // Retries to open a config node that could not be opened, for the next heartbeat.
    await this.#prepare()
  }

  /** Returns the message about a health that is sent now. */
  #messageOf(facts: HealthFacts): HealthMessage {
    this.#change.note(facts)
    return healthMessage(this.#subject.source, healthPayload(facts), facts.cluster?.instance)
  }

  async #prepare(): Promise<void> {
    await this.#subject.open()
    this.#versions.plugin ||= (await packageInfo()).version
    this.#versions.nodeRed ||= await this.#RED.version()
  }

  /** Returns the current health, and shows it in the status. */
  #look(): HealthFacts {
    const { account, panel, unusable, refusal, cluster } = this.#subject
    const facts = { account, panel, unusable, cluster, versions: this.#versions }
    const status = healthStatus(facts)
    if (refusal !== undefined) this.#status.showError(refusal)
    else this.#status.showHealth(status, healthText(status, account, panel, cluster))
    return facts
  }
}

/** Returns the status text: the cause if it is known, else the word for the overall status. */
function healthText(
  status: HealthStatus,
  { phase, heldUntil }: AccountHealth,
  panel: PanelHealth | undefined,
  cluster: ClusterFacts | undefined,
): StatusText {
  if (status === 'ok') return phrase('health.status.ok')
  if (status === 'held' && phase === 'held' && heldUntil !== undefined)
    return pauseText(panel?.failure, heldUntil, systemClock.wall())
  if (status === 'offline' && panel?.online === false) return phrase('account.status.offline')
  const failure = panel?.failure ?? (cluster?.state === 'away' ? cluster.latestFailure : undefined)
  const isStale = status === 'degraded' && panel?.state === 'stale'
  const isLacking = status === 'degraded' && panel?.lacksPartition
  const other = isStale ? phrase('account.status.stale') : isLacking ? phrase('account.status.partition') : {}
  const { key: cause } = failure ? errorText(failure) : other
  return phrase(`health.status.${status}`, { ...(cause && { cause }) })
}

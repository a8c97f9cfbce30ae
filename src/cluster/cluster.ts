import type { AttemptLog } from '../account/service-user/rate-limit/attempt-log.ts'
import type { UserStores } from '../account/service-user/user-stores.ts'
import { type Clock, every } from '../clock.ts'
import { hour, minute, second } from '../duration.ts'
import { ClusterPanels } from './cluster-panels.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { noteUsers } from './lua/unused.lua.ts'
import {
  type ClusterParts,
  type Heartbeat,
  Membership,
  type MembershipTimes,
} from './membership/membership.ts'
import type { ConnectionOptions } from './redis/connection.ts'
import type { QuietTimes } from './redis/handshake.ts'
import { type Scripts, script, usersKey } from './redis/scripts.ts'
import { type ServerStatus, SharedState } from './redis/shared-state.ts'
import { SharedAnswers } from './stores/answers.ts'
import { SharedRateLimits } from './stores/rate-limit/rate-limits.ts'
import type { RateLimitTimes } from './stores/rate-limit/shared-attempts.ts'
import { SharedRejections } from './stores/rejections.ts'
import { SharedTokens } from './stores/tokens.ts'
import { forgetUnusedKeys } from './unused-keys.ts'
import { differencesIn, namesake, otherCluster } from './warnings.ts'

const note = script(noteUsers)

/** Milliseconds after which a cluster that has not told its users again is taken for one that is gone. */
const maxNoteAge = 3 * minute

/** The stores of a user, with what only a cluster has. */
type SharedUserStores = UserStores & { rateLimits: SharedRateLimits; rejections: SharedRejections }

/** The state of a cluster as one instance sees it, for display. */
export interface ClusterStatus extends ServerStatus {
  /** The name of this instance, and those of all live ones, sorted. */
  readonly instance: string
  readonly instances: readonly string[]
  /** The leases of panels that this instance wants, holds, and has passed on because its polls failed. */
  readonly leases: { wanted: number; held: number; passed: number }
  /** Sentences about what should be the same, or another one, in all instances. */
  readonly warnings: readonly string[]
}

/** The dependencies of a cluster. */
export interface ClusterOptions {
  clock: Clock
  /** Called when the status may have changed. Must not throw. */
  onChange?(): void
  /** Shorter times, for tests. */
  times?: { quiet?: QuietTimes; membership?: MembershipTimes; rateLimits?: RateLimitTimes }
  load?: ConnectionOptions['load']
}

/**
 * The Node-RED instances that work as one through a shared state, as one of them sees them: one object for each config
 * node and process.
 */
export class Cluster {
  /** The state about the panels. */
  readonly panels: ClusterPanels
  readonly #parts: ClusterParts
  readonly #times: RateLimitTimes | undefined
  readonly #onChange: () => void
  readonly #state: SharedState
  readonly #users = new Map<string, SharedUserStores>()
  #stopTimers = () => {}
  #warnings: readonly string[] = []
  /** The other clusters on the server with an account of this one. */
  #otherClusters: readonly string[] = []
  /** The instances that the limits were last asked for with. */
  #instances = ''

  constructor(settings: ClusterSettings, options: ClusterOptions) {
    const { clock, onChange = () => {}, times = {}, load } = options
    const { clusterName, instance } = settings
    this.#times = times.rateLimits
    this.#onChange = onChange
    this.#state = new SharedState(settings, {
      clock,
      load,
      quiet: times.quiet,
      restore: (through, hasLost) => this.#restore(through, hasLost),
      onChange: (isOpen) => this.#followConnection(isOpen),
    })
    const { scripts, clock: sharedClock } = this.#state
    const generation = () => this.#state.generation
    const parts = { scripts, clock, sharedClock, clusterName, instance, generation }
    const membership = new Membership({
      ...parts,
      times: times.membership,
      wishes: () => this.panels.leases.table.ownWishes,
      onHeartbeat: (heartbeat) => this.#noteHeartbeat(heartbeat),
      onLapse: () => {
        this.panels.leases.lapse()
        onChange()
      },
    })
    this.#parts = { ...parts, membership, failure: () => this.#state.connection.failure }
    this.panels = new ClusterPanels(this.#parts)
  }

  /** Connects, and stays connected until `close`. Never throws. */
  open(): void {
    this.#state.connection.open()
    this.#parts.membership.start()
    const { clock, scripts } = this.#parts
    const forget = () => void forgetUnusedKeys(scripts).catch(() => {})
    // Not at once: a process that has just started holds no lease yet.
    const stops = [
      every(clock, hour, forget),
      every(clock, minute, () => void this.#state.connection.check()),
      every(clock, minute, () => void this.#lookForOthers()),
    ]
    this.#stopTimers = () => stops.forEach((stop) => void stop())
  }

  get status(): ClusterStatus {
    const instances = this.#liveInstances
    const { panels } = this
    const hasNamesake = instances.filter((name) => name === this.#parts.instance).length > 1
    return {
      ...this.#state.status,
      instance: this.#parts.instance,
      instances,
      get leases() {
        return panels.figures
      },
      warnings: [...(hasNamesake ? [namesake] : []), ...this.#warnings],
    }
  }

  /** The number of the session in the cluster; 0 before the first one. */
  get session(): number {
    return this.#parts.membership.session
  }

  /**
   * Returns what the instances share about a user at the service; the same object for each call, until it is
   * closed.
   * @param user a short hash of host and e-mail
   * @param attemptLog tells if this process has sent requests elsewhere in the last minute, and the process after it the same
   */
  userStores(user: string, attemptLog?: AttemptLog): SharedUserStores {
    const known = this.#users.get(user)
    if (known !== undefined && !known.rateLimits.isOver) return known
    const parts = { ...this.#parts, user }
    const rejections = new SharedRejections(parts)
    const made = {
      rateLimits: new SharedRateLimits(parts, this.#times, attemptLog),
      rejections,
      tokens: new SharedTokens(parts, rejections),
      answers: new SharedAnswers(parts),
    }
    this.#users.set(user, made)
    return made
  }

  /** Leaves the cluster, so that the others take over at once. Never rejects. */
  async close(): Promise<void> {
    this.#stopTimers()
    await this.#parts.membership.leave()
    this.#state.connection.close()
  }

  async #restore(through: Scripts, hasLost: boolean): Promise<void> {
    if (hasLost) this.panels.noteLoss()
    for (const { rateLimits, rejections } of this.#users.values()) {
      await rateLimits.restore(through)
      await rejections.restore(through, hasLost)
    }
    if (hasLost) await this.panels.restore(through)
    await this.#parts.membership.enter(through)
  }

  #noteHeartbeat(heartbeat: Heartbeat): void {
    this.#parts.scripts.retryUnanswered()
    this.panels.noteHeartbeat(heartbeat)
    for (const [user, { rateLimits }] of this.#users) {
      if (heartbeat.changedUsers.includes(user) || rateLimits.isLimitDue) rateLimits.refresh()
    }
    this.#tellIfInstancesChanged()
    if (heartbeat.wishes !== undefined) this.#noteWarnings()
  }

  /** Looks for other clusters on the server that use an account of this one, and tells them about it. Never rejects. */
  async #lookForOthers(): Promise<void> {
    const used = [...this.#users].filter(([, { rateLimits }]) => !rateLimits.isOver).map(([user]) => user)
    const args = [usersKey, maxNoteAge / second, this.#parts.clusterName, ...used]
    const [names] = used.length > 0 ? await this.#parts.scripts.tryRun(note, [], args) : [[]]
    if (names !== undefined) this.#otherClusters = [...new Set(names as string[])].sort()
    this.#noteWarnings()
  }

  #noteWarnings(): void {
    const warnings = [
      ...differencesIn(this.panels.leases.table.wishes, this.#parts.membership),
      ...this.#otherClusters.map(otherCluster),
    ]
    if (`${warnings}` === `${this.#warnings}`) return
    this.#warnings = warnings
    this.#onChange()
  }

  /** @param isOpen false while this instance has lost the others */
  #followConnection(isOpen: boolean): void {
    if (!isOpen) for (const { rateLimits } of this.#users.values()) rateLimits.noteLoss()
    this.panels.leases.table.tellAll()
    this.#onChange()
  }

  get #liveInstances(): string[] {
    return [...this.#parts.membership.names.values()].sort()
  }

  #tellIfInstancesChanged(): void {
    const instances = this.#liveInstances.join('\n')
    if (instances === this.#instances) return
    this.#instances = instances
    // The cap of an instance that has left no longer counts.
    for (const { rateLimits } of this.#users.values()) rateLimits.refresh()
    this.#onChange()
  }
}

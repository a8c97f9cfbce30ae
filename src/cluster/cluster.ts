import { randomUUID } from 'node:crypto'
import { type Failure, failureOf } from '../account/requests/request-stats.ts'
import type { UserFiles } from '../account/user-stores.ts'
import { type Clock, every } from '../clock.ts'
import { hour } from '../duration.ts'
import type { CursorCopy } from '../panel/events/cursor/cursor-copy.ts'
import type { DeliveringNode, PanelStores } from '../panel/panel-stores.ts'
import { ClusterPanels } from './cluster-panels.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { ClusterStatus } from './cluster-status.ts'
import { ClusterUsers, type SharedUserStores } from './cluster-users.ts'
import { CutOff } from './membership/cut-off.ts'
import type { SharedLease } from './membership/leases.ts'
import { type Heartbeat, Membership, type MembershipTimes } from './membership/membership.ts'
import { Reserve } from './membership/reserve.ts'
import { Connection, type ConnectionOptions, type Sender } from './redis/connection.ts'
import { performHandshake, type QuietTimes } from './redis/handshake.ts'
import { away } from './redis/redis-error.ts'
import { Scripts } from './redis/scripts.ts'
import type { ServerInfo } from './redis/server-info.ts'
import { SharedClock } from './redis/shared-clock.ts'
import type { SharedCommandQueue } from './stores/command-queue.ts'
import type { SharedCursor } from './stores/cursors.ts'
import type { RateLimitTimes } from './stores/rate-limit-times.ts'
import { forgetUnusedKeys } from './unused-keys.ts'

/** The dependencies of a cluster. */
export interface ClusterOptions {
  clock: Clock
  /** Names this instance over its restarts, for its reserve; without it, each process is another one. */
  installation?: string
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
  readonly #settings: ClusterSettings
  readonly #options: Required<Pick<ClusterOptions, 'clock' | 'onChange' | 'times'>>
  readonly #sharedClock: SharedClock
  readonly #connection: Connection
  readonly #scripts: Scripts
  readonly #membership: Membership
  readonly #reserve: Reserve
  readonly #cutOff: CutOff
  readonly #users: ClusterUsers
  readonly #panels: ClusterPanels
  #stopForgetting = () => {}
  #server: ServerInfo | undefined
  #generation: string | undefined
  #quietUntil = Number.NEGATIVE_INFINITY
  #awaySince: number | undefined
  #latestFailure: Failure | undefined
  /** The instances, and the reserves of the others, that the limits were last asked for with. */
  #instances = ''
  #reserves = ''
  #wasReserveWaiting = false

  constructor(settings: ClusterSettings, options: ClusterOptions) {
    const { clock, onChange = () => {}, times = {}, load, installation = randomUUID() } = options
    this.#settings = settings
    this.#options = { clock, onChange, times }
    this.#sharedClock = new SharedClock(clock)
    this.#connection = new Connection(settings, {
      clock,
      handshake: (sender, server) => this.#performHandshake(sender, server),
      onChange: () => this.#followConnection(),
      ...(load === undefined ? {} : { load }),
    })
    const { clusterName, instance, reserve: amount } = settings
    const shared = { sharedClock: this.#sharedClock, clock }
    const reserve = new Reserve(installation, amount, clock)
    const scripts = new Scripts({ ...shared, sender: this.#connection, clusterName })
    const onForgotten = () => this.#forgotten()
    const membership = new Membership({
      ...{ scripts, clock, instance, reserve, onForgotten },
      reserveCounts: () => this.#users.reserveCounts,
      mostReserves: () => this.#users.mostReserves,
      ...(times.membership === undefined ? {} : { times: times.membership }),
      onHeartbeat: (heartbeat) => this.#noteHeartbeat(heartbeat),
      onLapse: () => {
        this.#panels.lapse()
        this.#cutOff.wait()
        onChange()
      },
    })
    const isAlone = () => this.isAlone
    const parts = { ...shared, scripts, membership, isAlone }
    this.#reserve = reserve
    this.#scripts = scripts
    this.#membership = membership
    this.#cutOff = new CutOff({
      ...{ clock, membership, reserve, times: times.membership },
      onChange: () => this.#followCutOff(),
    })
    this.#users = new ClusterUsers({
      ...{ ...parts, reserve, clusterName, times: times.rateLimits, onForgotten },
      generation: () => this.#generation,
    })
    this.#panels = new ClusterPanels({ ...parts, instance, failure: () => this.#connection.failure })
  }

  /** True while this instance is cut off and goes on with its reserve: it does all for itself. */
  get isAlone(): boolean {
    return this.#cutOff.isAlone
  }

  /** Connects, and stays connected until `close`. Never throws. */
  open(): void {
    this.#connection.open()
    this.#membership.start()
    const forget = () => void forgetUnusedKeys(this.#scripts).catch(() => {})
    // Not at once: a process that has just started holds no lease yet.
    this.#stopForgetting = every(this.#options.clock, hour, forget)
  }

  get status(): ClusterStatus {
    const { isOpen, failure } = this.#connection
    const now = this.#options.clock.monotonic()
    return {
      state: this.isAlone ? 'alone' : isOpen ? 'connected' : failure === undefined ? 'connecting' : 'away',
      error: failure,
      latestFailure: this.#latestFailure,
      awaySince: isOpen ? undefined : this.#awaySince,
      quietUntil: this.#quietUntil > now ? this.#quietUntil : undefined,
      instance: this.#settings.instance,
      instances: this.#liveInstances,
      leases: this.#panels.figures,
      hasNamesake: this.#liveInstances.filter((name) => name === this.#settings.instance).length > 1,
      isReserveWaiting: this.#reserve.isWaiting,
      server: this.#server,
    }
  }

  /** The number of the session in the cluster; 0 before the first one. */
  get session(): number {
    return this.#membership.session
  }

  /**
   * Returns what the instances share about a user at the service; the same object for each call, until it is handed
   * over.
   * @param user a short hash of host and e-mail
   * @param files what this process knows of the time before the cluster, and needs for the time after it
   */
  userStores(user: string, files?: UserFiles): SharedUserStores {
    return this.#users.stores(user, files)
  }

  /**
   * Returns what the instances share about a panel.
   * @param panel a digest: it is readable on the server
   * @param copyOf returns the files of this instance about a node's cursor
   */
  panelStores(panel: string, copyOf?: (node: DeliveringNode) => CursorCopy): PanelStores {
    return this.#panels.stores(panel, copyOf)
  }

  /**
   * Returns the cursor that the holder of a lease reads and writes; the same object for each call.
   * @param path of the lease
   */
  cursor(...path: readonly string[]): SharedCursor {
    return this.#panels.cursor(...path)
  }

  /**
   * Returns the command queue of a panel; the same object for each call.
   * @param panel a digest: it is readable on the server
   */
  commandQueue(panel: string, serial: string): SharedCommandQueue {
    return this.#panels.commandQueue(panel, serial)
  }

  /**
   * Returns a lease.
   * @param path its name below those of the leases that it goes with, such as that of the panel. Names are readable
   * on the server: that of a panel is a digest
   */
  lease(...path: readonly string[]): SharedLease {
    return this.#panels.lease(...path)
  }

  /** Leaves the cluster, so that the others take over at once. Never rejects. */
  async close(): Promise<void> {
    this.#cutOff.close()
    this.#stopForgetting()
    await this.#membership.leave()
    this.#connection.close()
  }

  async #performHandshake(sender: Sender, server: ServerInfo): Promise<void> {
    const { clock, times } = this.#options
    const through = this.#scripts.through(sender)
    const met = this.#generation
    const result = await performHandshake(through, this.#sharedClock, server, times.quiet, met)
    const { quiet, generation } = result
    const hasLost = met !== undefined && generation !== met
    if (hasLost) {
      this.#panels.noteLoss()
      await this.#membership.restoreReserves(through)
    }
    this.#generation = generation
    this.#server = server
    this.#quietUntil = clock.monotonic() + quiet
    await this.#users.restore(through, hasLost)
    if (hasLost) await this.#panels.restore(through)
    await this.#membership.enter(through)
  }

  #noteHeartbeat(heartbeat: Heartbeat): void {
    this.#cutOff.end()
    this.#panels.noteHeartbeat(heartbeat)
    this.#users.noteHeartbeat(heartbeat.changedUsers)
    this.#tellIfReserveChanged()
    this.#tellIfInstancesChanged()
  }

  #followConnection(): void {
    const { isOpen, failure } = this.#connection
    const { clock } = this.#options
    if (isOpen) this.#awaySince = undefined
    else {
      this.#awaySince ??= clock.monotonic()
      if (failure !== undefined) this.#latestFailure = failureOf(failure, clock)
      this.#users.noteLoss()
    }
    this.#panels.followConnection()
    this.#options.onChange()
  }

  #followCutOff(): void {
    this.#users.noteLoss()
    this.#panels.followConnection()
    this.#options.onChange()
  }

  /** Performs the handshake again: the server has lost its data without an end of the connection. */
  #forgotten(): void {
    this.#connection.reconnect(away('the server has lost its data'))
  }

  get #liveInstances(): string[] {
    return [...this.#membership.instances].sort()
  }

  #tellIfReserveChanged(): void {
    if (this.#reserve.isWaiting === this.#wasReserveWaiting) return
    this.#wasReserveWaiting = this.#reserve.isWaiting
    this.#options.onChange()
  }

  #tellIfInstancesChanged(): void {
    const instances = this.#liveInstances.join('\n')
    const reserves = this.#reserve.known.map(({ id, amount }) => `${id} ${amount}`).join('\n')
    if (instances === this.#instances && reserves === this.#reserves) return
    this.#instances = instances
    this.#reserves = reserves
    // The cap of an instance that has left no longer counts, and reserves are left off the limit.
    this.#users.refresh()
    this.#options.onChange()
  }
}

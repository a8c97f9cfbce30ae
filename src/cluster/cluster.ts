import { randomUUID } from 'node:crypto'
import { type Failure, failureOf } from '../account/requests/request-stats.ts'
import type { UserFiles, UserStores } from '../account/user-stores.ts'
import { type Clock, every } from '../clock.ts'
import { hour } from '../duration.ts'
import type { CursorCopy } from '../panel/events/cursor/cursor-copy.ts'
import type { DeliveringNode, PanelStores, PolledWork } from '../panel/panel-stores.ts'
import type { KeyholderError } from '../service/error.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { Followers } from './membership/followers.ts'
import { Leases, type SharedLease } from './membership/leases.ts'
import { Membership, type MembershipTimes, membershipTimes } from './membership/membership.ts'
import { Reserve } from './membership/reserve.ts'
import { Connection, type ConnectionOptions, type Sender } from './redis/connection.ts'
import { performHandshake, type QuietTimes } from './redis/handshake.ts'
import { away } from './redis/redis-error.ts'
import { Scripts } from './redis/scripts.ts'
import type { ServerInfo } from './redis/server-info.ts'
import { SharedClock } from './redis/shared-clock.ts'
import { SharedAnswers } from './stores/answers.ts'
import { SharedCommandQueue } from './stores/command-queue.ts'
import { copyCursors, restoreCursors, SharedCursor } from './stores/cursors.ts'
import type { RateLimitTimes } from './stores/rate-limit-times.ts'
import { SharedRateLimits } from './stores/rate-limits.ts'
import { SharedRejections } from './stores/rejections.ts'
import { SharedTokens } from './stores/tokens.ts'
import { forgetUnusedKeys } from './unused-keys.ts'

/** The state of a cluster as one instance sees it, for display. */
export interface ClusterStatus {
  /**
   * `away` from the first failed attempt to connect, or from the loss of the connection, until it is there again;
   * `alone` while this instance goes on with its reserve meanwhile.
   */
  readonly state: 'connecting' | 'connected' | 'away' | 'alone'
  /** The reason of `away` and `alone`. */
  readonly error: KeyholderError | undefined
  /** The latest such reason, kept after a recovery; undefined if there was none. */
  readonly latestFailure: Failure | undefined
  /** The time when `away` began (milliseconds of the monotonic clock). */
  readonly awaySince: number | undefined
  /** The end of a time in which no request is sent (milliseconds of the monotonic clock); undefined without one. */
  readonly quietUntil: number | undefined
  /** The name of this instance, and those of all live ones, sorted. */
  readonly instance: string
  readonly instances: readonly string[]
  /** The leases of panels that this instance wants, holds, and has passed on because its polls failed. */
  readonly leases: { wanted: number; held: number; passed: number }
  /** True while another live instance has the same name. */
  readonly hasNamesake: boolean
  /** True while the reserve waits, because those of instances that have failed leave too little of the limit. */
  readonly isReserveWaiting: boolean
  /** The server's description of itself; undefined before the first connection. */
  readonly server: ServerInfo | undefined
}

/** The stores of a user, with what only a cluster has. */
export type SharedUserStores = UserStores & { rateLimits: SharedRateLimits; rejections: SharedRejections }

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
  /** True once the shared state has been away for longer than a lease lasts. */
  #isCutOff = false
  #cancelAlone = () => {}
  #stopForgetting = () => {}
  readonly #leases: Leases
  readonly #followers: Followers
  readonly #users = new Map<string, SharedUserStores>()
  readonly #cursors = new Map<string, SharedCursor>()
  readonly #commandQueues = new Map<string, SharedCommandQueue>()
  /** The panels whose saved cursor is to be copied. */
  readonly #uncopied = new Set<string>()
  /** The number of times that the server had forgotten something at a handshake. */
  #losses = 0
  #server: ServerInfo | undefined
  #generation: string | undefined
  #quietUntil = Number.NEGATIVE_INFINITY
  #isClosed = false
  #awaySince: number | undefined
  #latestFailure: Failure | undefined
  #instances = ''
  /** The reserves of the others that the limits were last asked for with. */
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
    const { clusterName, instance, reserve } = settings
    this.#reserve = new Reserve(installation, reserve, clock)
    const shared = { sharedClock: this.#sharedClock, clock }
    this.#scripts = new Scripts({ ...shared, sender: this.#connection, clusterName })
    this.#membership = new Membership({
      scripts: this.#scripts,
      clock,
      instance,
      reserve: this.#reserve,
      reserveCounts: () =>
        Math.max(0, ...[...this.#users.values()].map(({ rateLimits }) => rateLimits.reserveCounts)),
      mostReserves: () => this.#mostReserves,
      ...(times.membership === undefined ? {} : { times: times.membership }),
      onHeartbeat: (heartbeat) => {
        this.#endAlone()
        this.#leases.noteHeartbeat(heartbeat)
        this.#followers.noteHints(heartbeat.hints)
        for (const { rejections } of this.#users.values()) void rejections.unlockLeft()
        for (const queue of this.#commandQueues.values()) queue.finishLeft()
        for (const user of heartbeat.changedUsers) this.#users.get(user)?.rateLimits.refresh()
        const isDue = ({ rateLimits }: SharedUserStores) =>
          (this.#reserve.left > 0 && !rateLimits.isCovered) || rateLimits.isLimitDue
        for (const stores of this.#users.values()) if (isDue(stores)) stores.rateLimits.refresh()
        this.#tellIfReserveChanged()
        this.#copyCursors(heartbeat.changedPanels)
        this.#tellIfInstancesChanged()
      },
      onLapse: () => {
        this.#leases.lapse()
        this.#waitToBeAlone()
        onChange()
      },
      onForgotten: () => this.#forgotten(),
    })
    const followers = new Followers(this.#scripts, this.#membership)
    this.#followers = followers
    this.#leases = new Leases({
      ...shared,
      scripts: this.#scripts,
      membership: this.#membership,
      failure: () => this.#connection.failure,
      isAlone: () => this.isAlone,
      onBegin: (lease, followedEvery) => followers.noteBegin(lease, followedEvery),
    })
  }

  /** True while this instance is cut off and goes on with its reserve: it does all for itself. */
  get isAlone(): boolean {
    return this.#isCutOff && !this.#membership.isValid && this.#reserve.left > 0
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
      leases: this.#leases.figures,
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
    const known = this.#users.get(user)
    if (known !== undefined && !known.rateLimits.isOver) return known
    const { clock, times } = this.#options
    const session = () => this.#membership.session
    const isAlone = () => this.isAlone
    const options = { scripts: this.#scripts, sharedClock: this.#sharedClock, clock, user, session, isAlone }
    const onForgotten = () => this.#forgotten()
    const rejections = new SharedRejections({
      ...options,
      clusterName: this.#settings.clusterName,
      former: files?.rejections,
      copy: files?.sharedRejections,
    })
    const made = {
      rateLimits: new SharedRateLimits({
        ...options,
        onForgotten,
        generation: () => this.#generation,
        attemptLog: files?.attemptLog,
        reserve: this.#reserve,
        reserveLog: files?.reserveLog,
        ...(times.rateLimits === undefined ? {} : { times: times.rateLimits }),
      }),
      rejections,
      tokens: new SharedTokens({ ...options, lockOf: (hash) => rejections.lockOf(hash) }),
      answers: new SharedAnswers(options),
    }
    this.#users.set(user, made)
    return made
  }

  /**
   * Returns what the instances share about a panel.
   * @param panel a digest: it is readable on the server
   * @param copyOf returns the files of this instance about a node's cursor
   */
  panelStores(panel: string, copyOf?: (node: DeliveringNode) => CursorCopy): PanelStores {
    const { instance } = this.#settings
    // The copies of a node on the other instances want the same lease, unless each of them delivers.
    const pathOf = ({ id, instances }: DeliveringNode, work: PolledWork) => [
      panel,
      work,
      instances === 'every' ? `${id} ${instance}` : id,
    ]
    return {
      pollLease: (work) => Object.assign(this.lease(panel, work), this.#followers.of(`${panel} ${work}`)),
      deliveryLease: (node, work) => this.lease(...pathOf(node, work)),
      cursor: (node) => {
        const cursor = this.cursor(...pathOf(node, 'events'))
        if (copyOf !== undefined) cursor.copyTo(copyOf(node))
        return cursor
      },
    }
  }

  /**
   * Returns the cursor that the holder of a lease reads and writes; the same object for each call.
   * @param path of the lease
   */
  cursor(...path: readonly string[]): SharedCursor {
    const name = path.join(' ')
    const known = this.#cursors.get(name)
    if (known !== undefined) return known
    const lease = this.lease(...path)
    const cursor = new SharedCursor({
      scripts: this.#scripts,
      panel: name,
      lease,
      losses: () => this.#losses,
    })
    this.#cursors.set(name, cursor)
    this.#uncopied.add(name)
    return cursor
  }

  /**
   * Returns the command queue of a panel; the same object for each call.
   * @param panel a digest: it is readable on the server
   */
  commandQueue(panel: string, serial: string): SharedCommandQueue {
    const known = this.#commandQueues.get(panel)
    if (known !== undefined) return known
    const { clock } = this.#options
    const queue = new SharedCommandQueue({
      scripts: this.#scripts,
      clock,
      panel,
      serial,
      membership: this.#membership,
      isAlone: () => this.isAlone,
    })
    this.#commandQueues.set(panel, queue)
    return queue
  }

  /**
   * Returns a lease.
   * @param path its name below those of the leases that it goes with, such as that of the panel. Names are readable
   * on the server: that of a panel is a digest
   */
  lease(...path: readonly string[]): SharedLease {
    return this.#leases.lease(...path)
  }

  /** Leaves the cluster, so that the others take over at once. Never rejects. */
  async close(): Promise<void> {
    this.#cancelAlone()
    this.#isCutOff = false
    this.#stopForgetting()
    this.#isClosed = true
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
      // It may not know the latest changes, so each lease is looked at again before it counts as held.
      this.#leases.lapse()
      this.#followers.lapse()
      this.#losses += 1
      await this.#membership.restoreReserves(through)
    }
    this.#generation = generation
    this.#server = server
    this.#quietUntil = clock.monotonic() + quiet
    for (const { rateLimits, rejections } of this.#users.values()) {
      await rateLimits.restore(through)
      await rejections.restore(through, hasLost)
    }
    if (hasLost) await restoreCursors(through, [...this.#cursors.values()])
    await this.#membership.enter(through)
  }

  /** The limit of all reserves together, except those of dead instances: half of the cap is left for the common work. */
  get #mostReserves(): number {
    const caps = [...this.#users.values()].map(({ rateLimits }) => rateLimits.cap)
    return caps.length === 0 ? 0 : Math.floor(Math.min(...caps) / 2)
  }

  /** Copies the cursors that others have saved since the heartbeat before, and those that are new to this instance. */
  #copyCursors(changed: readonly string[]): void {
    const panels = new Set([...this.#uncopied, ...changed])
    this.#uncopied.clear()
    const cursors = [...panels].flatMap((panel) => this.#cursors.get(panel) ?? [])
    const elsewhere = cursors.filter(({ isHeld }) => !isHeld)
    if (elsewhere.length > 0) void copyCursors(this.#scripts, elsewhere)
  }

  /** Goes on alone once the lease of this instance is over, so that it is not for a moment without an answer. */
  #waitToBeAlone(): void {
    if (this.#isClosed || this.#isCutOff || this.#reserve.left === 0) return
    const { lease, validity } = this.#options.times.membership ?? membershipTimes
    this.#cancelAlone()
    this.#cancelAlone = this.#options.clock.after(lease - validity, () => {
      if (this.#membership.isValid) return
      this.#isCutOff = true
      // A day later, its reserve is that of the others.
      this.#cancelAlone = this.#options.clock.after(this.#reserve.left, () => this.#endAlone())
      this.#tellOfAlone()
    })
  }

  #endAlone(): void {
    this.#cancelAlone()
    if (!this.#isCutOff) return
    this.#isCutOff = false
    this.#tellOfAlone()
  }

  #tellOfAlone(): void {
    for (const { rateLimits } of this.#users.values()) rateLimits.noteLoss()
    this.#leases.followConnection()
    this.#options.onChange()
  }

  #followConnection(): void {
    if (this.#connection.isOpen) this.#awaySince = undefined
    else {
      const { clock } = this.#options
      const { failure } = this.#connection
      this.#awaySince ??= clock.monotonic()
      if (failure !== undefined) this.#latestFailure = failureOf(failure, clock)
      for (const { rateLimits } of this.#users.values()) rateLimits.noteLoss()
    }
    this.#leases.followConnection()
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
    for (const { rateLimits } of this.#users.values()) rateLimits.refresh()
    this.#options.onChange()
  }
}

import { second } from '../duration.ts'
import type { NodeCursor } from '../panel/events/cursor/node-cursor.ts'
import type { DeliveringNode, PolledWork } from '../panel/lease.ts'
import type { PanelStores } from '../panel/panel-stores.ts'
import { Followers } from './membership/followers.ts'
import type { LeaseTable, LeaseTableOptions } from './membership/lease-table.ts'
import { Leases, type SharedLease } from './membership/leases.ts'
import type { Heartbeat } from './membership/membership.ts'
import type { Scripts, StoreParts } from './redis/scripts.ts'
import { SharedBypasses } from './stores/bypasses.ts'
import { SharedCommandQueue } from './stores/command-queue.ts'
import { copyCursors, restoreCursors, SharedCursor } from './stores/cursors.ts'
import { SharedTold } from './stores/told-store.ts'
import { differencesIn } from './warnings.ts'

/** Milliseconds for which the figures are not counted again: with many panels, as many nodes ask for them. */
const figuresAge = second / 4

/** The dependencies of the panels of a cluster. */
export interface ClusterPanelsOptions extends LeaseTableOptions, StoreParts {
  /** The name of this instance. */
  instance: string
}

/** The state about the panels that the instances of a cluster share: leases, followers, cursors and command queues. */
export class ClusterPanels {
  readonly leases: Leases
  readonly #options: ClusterPanelsOptions
  readonly #followers: Followers
  readonly #cursors = new Map<string, SharedCursor>()
  readonly #commandQueues = new Map<string, SharedCommandQueue>()
  readonly #bypasses = new Map<string, SharedBypasses>()
  /** The panels whose saved cursor is to be copied. */
  readonly #uncopied = new Set<string>()
  /** The number of times that the server had forgotten something at a handshake. */
  #losses = 0
  #figures: LeaseTable['figures'] = { wanted: 0, held: 0, passed: 0 }
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(options: ClusterPanelsOptions) {
    this.#options = options
    const followers = new Followers(options.scripts, options.membership)
    this.#followers = followers
    this.leases = new Leases({
      ...options,
      onBegin: (lease, followedEvery) => followers.noteBegin(lease, followedEvery),
    })
  }

  /** The number of leases that are wanted, held, and passed on, a quarter of a second ago at most; for display. */
  get figures(): LeaseTable['figures'] {
    const now = this.#options.clock.monotonic()
    if (now - this.#countedAt >= figuresAge) {
      this.#countedAt = now
      this.#figures = this.leases.table.figures
    }
    return this.#figures
  }

  /**
   * Returns the stores of a panel.
   * @param panel a digest: it is readable on the server
   * @param copyOf returns a node's cursor in the files of this instance
   */
  stores(panel: string, copyOf?: (node: DeliveringNode) => NodeCursor): PanelStores {
    const { instance } = this.#options
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
      told: (node, work, serial) => {
        const { scripts } = this.#options
        const path = pathOf(node, work)
        return new SharedTold({ scripts, name: path.join(' '), lease: this.lease(...path), serial, instance })
      },
    }
  }

  /**
   * Returns a lease.
   * @param path its name below those of the leases that it goes with, such as that of the panel. Names are readable
   * on the server: that of a panel is a digest
   */
  lease(...path: readonly string[]): SharedLease {
    return this.leases.lease(...path)
  }

  /**
   * Returns the cursor that the holder of a lease reads and writes; the same object for each call.
   * @param path of the lease
   */
  cursor(...path: readonly string[]): SharedCursor {
    const panel = path.join(' ')
    const known = this.#cursors.get(panel)
    if (known !== undefined) return known
    const { scripts } = this.#options
    const lease = this.lease(...path)
    const cursor = new SharedCursor({ scripts, panel, lease, losses: () => this.#losses })
    this.#cursors.set(panel, cursor)
    this.#uncopied.add(panel)
    return cursor
  }

  /**
   * Returns the command queue of a panel; the same object for each call.
   * @param panel a digest: it is readable on the server
   */
  commandQueue(panel: string, serial: string): SharedCommandQueue {
    const queue =
      this.#commandQueues.get(panel) ?? new SharedCommandQueue({ ...this.#options, panel, serial })
    this.#commandQueues.set(panel, queue)
    return queue
  }

  /**
   * Returns the bypass records of a panel; the same object for each call.
   * @param panel a digest: it is readable on the server
   */
  bypasses(panel: string, serial: string): SharedBypasses {
    const store = this.#bypasses.get(panel) ?? new SharedBypasses({ ...this.#options, panel, serial })
    this.#bypasses.set(panel, store)
    return store
  }

  /**
   * Notes the settings of this instance for a panel, which are compared with those of the other instances.
   * @param panel a digest
   * @param settings by the label of their field
   */
  noteSettings(panel: string, settings: Readonly<Record<string, string>>): void {
    this.leases.noteSettings(panel, `${new URLSearchParams(settings)}`)
  }

  /** A sentence for each setting that is another one in another instance. */
  get differences(): string[] {
    const { membership } = this.#options
    return differencesIn(this.leases.table.wishes, `${membership.session}`, (session) =>
      membership.nameOf(session),
    )
  }

  /** Follows what a heartbeat has told. Never throws. */
  noteHeartbeat(heartbeat: Heartbeat): void {
    this.leases.noteHeartbeat(heartbeat)
    this.#followers.noteHints(heartbeat.hints)
    for (const queue of this.#commandQueues.values()) {
      queue.finishLeft()
      // An instance may have been killed.
      if (heartbeat.wishes !== undefined) void queue.tellOrphans()
    }
    for (const store of this.#bypasses.values())
      store.noteHeartbeat(heartbeat.hints, heartbeat.wishes !== undefined)
    this.#copyCursors(heartbeat.changedPanels)
  }

  /** Notes that the server has lost data: each lease is looked at again before it counts as held. */
  noteLoss(): void {
    this.leases.lapse()
    this.#followers.lapse()
    this.#losses += 1
  }

  /**
   * Puts the cursors that are known here back on a server that has lost data.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    await restoreCursors(through, [...this.#cursors.values()])
    for (const store of this.#bypasses.values()) await store.restore(through)
  }

  /** Copies the cursors that others have saved since the heartbeat before, and those that are new to this instance. */
  #copyCursors(changed: readonly string[]): void {
    const panels = new Set([...this.#uncopied, ...changed])
    this.#uncopied.clear()
    const cursors = [...panels].flatMap((panel) => this.#cursors.get(panel) ?? [])
    const elsewhere = cursors.filter(({ isHeld }) => !isHeld)
    if (elsewhere.length > 0) void copyCursors(this.#options.scripts, elsewhere)
  }
}

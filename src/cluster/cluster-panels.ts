import { getOrCreate } from '../concurrency.ts'
import { second } from '../duration.ts'
import type { NodeCursor } from '../panel/events/cursor/node-cursor.ts'
import type { DeliveringNode, PolledWork } from '../panel/lease.ts'
import type { PanelStores } from '../panel/panel-stores.ts'
import { Followers } from './membership/followers.ts'
import type { LeaseTable } from './membership/lease-table.ts'
import { Leases } from './membership/leases.ts'
import type { ClusterParts, Heartbeat } from './membership/membership.ts'
import type { Scripts } from './redis/scripts.ts'
import { ObsoleteBypasses } from './stores/bypasses.ts'
import { SharedCommandQueue } from './stores/command-queue.ts'
import { SharedCursor } from './stores/cursors.ts'
import { SharedTold } from './stores/told-store.ts'

/** Milliseconds for which the figures are not counted again: with many panels, as many nodes ask for them. */
const figuresAge = second / 4

/** The parts of the shared state that commands to a panel use. */
interface SharedCommands {
  readonly commandQueue: SharedCommandQueue
  readonly obsoleteRecords: ObsoleteBypasses
}

/** The state about the panels that the instances of a cluster share: leases, followers, cursors and commands. */
export class ClusterPanels {
  readonly leases: Leases
  readonly #parts: ClusterParts
  readonly #followers: Followers
  readonly #cursors = new Map<string, SharedCursor>()
  readonly #commands = new Map<string, SharedCommands>()
  /** The cursors whose saved state is to be copied. */
  readonly #uncopied = new Set<string>()
  /** The number of times that the server had forgotten something at a handshake. */
  #losses = 0
  #figures: LeaseTable['figures'] = { wanted: 0, held: 0, passed: 0 }
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(parts: ClusterParts) {
    this.#parts = parts
    this.#followers = new Followers(parts)
    this.leases = new Leases(parts, this.#followers)
  }

  /** The number of leases that are wanted, held, and passed on, a quarter of a second ago at most; for display. */
  get figures(): LeaseTable['figures'] {
    const now = this.#parts.clock.monotonic()
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
    const { scripts, instance } = this.#parts
    const { leases } = this
    // The copies of a node on the other instances want the same lease, unless each of them delivers.
    const pathOf = ({ id, instances }: DeliveringNode, work: PolledWork) => [
      panel,
      work,
      instances === 'every' ? `${id} ${instance}` : id,
    ]
    return {
      pollLease: (work) => Object.assign(leases.lease(panel, work), this.#followers.of(`${panel} ${work}`)),
      deliveryLease: (node, work) => leases.lease(...pathOf(node, work)),
      cursor: (node) => {
        const cursor = this.cursor(...pathOf(node, 'events'))
        if (copyOf !== undefined) cursor.copyTo(copyOf(node))
        return cursor
      },
      told: (node, work, serial) => {
        const path = pathOf(node, work)
        return new SharedTold(
          { scripts, name: path.join(' '), lease: leases.lease(...path) },
          serial,
          instance,
        )
      },
    }
  }

  /**
   * Returns the cursor that the holder of a lease reads and writes; the same object for each call.
   * @param path of the lease
   */
  cursor(...path: readonly string[]): SharedCursor {
    const name = path.join(' ')
    return getOrCreate(this.#cursors, name, () => {
      this.#uncopied.add(name)
      const place = { scripts: this.#parts.scripts, name, lease: this.leases.lease(...path) }
      return new SharedCursor(place, () => this.#losses)
    })
  }

  /**
   * Returns what is shared about the commands to a panel; the same object for each call.
   * @param panel a digest: it is readable on the server
   */
  commands(panel: string, serial: string): SharedCommands {
    return getOrCreate(this.#commands, panel, () => {
      const parts = { ...this.#parts, panel, serial }
      return { commandQueue: new SharedCommandQueue(parts), obsoleteRecords: new ObsoleteBypasses(parts) }
    })
  }

  /** Follows what a heartbeat has told. Never throws. */
  noteHeartbeat(heartbeat: Heartbeat): void {
    const { hints, wishes, changedPanels } = heartbeat
    // An instance may have come, or have been killed.
    const haveOthersChanged = wishes !== undefined
    this.leases.noteHeartbeat(heartbeat)
    this.#followers.noteHints(hints)
    if (haveOthersChanged)
      for (const { commandQueue } of this.#commands.values()) void commandQueue.tellOrphans()
    // Those that others have saved since the heartbeat before, and those that are new to this instance.
    for (const name of new Set([...this.#uncopied, ...changedPanels])) void this.#cursors.get(name)?.copy()
    this.#uncopied.clear()
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
    await Promise.all([...this.#cursors.values()].map((cursor) => cursor.restore(through)))
  }
}

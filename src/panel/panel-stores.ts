import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { CommandQueue } from './commands/command-queue.ts'
import { CursorFile } from './events/cursor-file.ts'
import type { CursorStore } from './events/cursor-store.ts'
import type { PanelSettings } from './panel-settings.ts'
import { type Lease, lastingLease } from './polling/lease.ts'

/** A part of the panel that is polled for itself. */
export type PolledWork = 'state' | 'devices' | 'events'

/** A node that gets messages from a panel: on one instance at a time, or on each of them. */
export interface DeliveringNode {
  readonly id: string
  readonly instances: 'one' | 'every'
}

/** The state that all processes with a panel share: this process and those before it, or several at a time. */
export interface PanelStores {
  /** Returns the lease whose holder polls a part of the panel. */
  pollLease(work: PolledWork): Lease
  /** Returns the lease whose holder delivers a part of the panel to a node. */
  deliveryLease(node: DeliveringNode, work: PolledWork): Lease
  /** Returns the cursor of the events that a node gets; the same object for nodes that have one in common. */
  cursor(node: DeliveringNode): CursorStore
  /** The command queue of the panel in all processes; undefined for a process that is alone. */
  readonly commandQueue?: CommandQueue
}

/** Returns the path of a file about a panel. */
export function panelFile({ id }: Pick<PanelSettings, 'id'>, folder: string, what: string): string {
  return join(folder, `${what}-${id.replace(/[^\w.-]/g, '_')}.json`)
}

/**
 * Returns the stores of a process that is alone.
 * @param folder for the files that the next process needs
 */
export function localPanelStores(
  settings: Pick<PanelSettings, 'id'>,
  folder: string,
  clock: Clock,
): PanelStores {
  const lease = lastingLease(() => clock.monotonic())
  const cursor = new CursorFile(panelFile(settings, folder, 'events'))
  return { pollLease: () => lease, deliveryLease: () => lease, cursor: () => cursor }
}

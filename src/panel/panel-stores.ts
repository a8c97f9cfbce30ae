import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../account/account.ts'
import { digest } from '../account/account-registry.ts'
import { getOrCreate } from '../concurrency.ts'
import type { ObsoleteRecords } from './commands/bypass/obsolete-records.ts'
import type { CommandQueue } from './commands/command-queue.ts'
import { CursorFile } from './events/cursor/cursor-file.ts'
import type { CursorStore } from './events/cursor/cursor-store.ts'
import { NodeCursor } from './events/cursor/node-cursor.ts'
import type { EventStores } from './events/event-deliveries.ts'
import { type DeliveringNode, lastingLease, type PolledWork, type ToldStore } from './lease.ts'
import type { PanelSettings } from './panel-settings.ts'

/** The state that all processes with a panel share: this process and those before it, or several at a time. */
export interface PanelStores extends EventStores {
  /** The command queue of the panel in all processes; undefined for a process that is alone. */
  readonly commandQueue?: CommandQueue
  /** The bypasses that version 0.2.0 has recorded for all processes; undefined for a process that is alone. */
  readonly obsoleteRecords?: ObsoleteRecords
  /** Returns the store of what a node was told about a part of the panel; absent for a process that is alone. */
  readonly told?: (node: DeliveringNode, work: PolledWork, serial: string) => ToldStore
}

/** Returns the path of the file in which version 0.2.0 has recorded the bypasses of a panel. */
export function bypassFile({ settings }: Pick<Account, 'settings'>, serial: string, folder: string): string {
  return join(folder, `panel-${digest(new URL(settings.url).host, serial)}.bypasses.json`)
}

/** Returns the path of a file about a panel node. */
export function panelFile({ id }: Pick<PanelSettings, 'id'>, folder: string, what: string): string {
  return join(folder, `${what}-${inFileName(id)}.json`)
}

/** Returns the text of an id in the name of a file. */
function inFileName(id: string): string {
  return id.replace(/[^\w.-]/g, '_')
}

/**
 * Returns the path of a file about one node of a panel; no id has this character there.
 * @param what its cursor, or its tests of the alarm chain
 */
export function nodeFile(
  { id }: Pick<PanelSettings, 'id'>,
  nodeId: string,
  folder: string,
  what: 'events' | 'chain-test',
): string {
  return join(folder, `${what}-${inFileName(id)}~${inFileName(nodeId)}.json`)
}

/**
 * Returns the stores of a process that is alone.
 * @param folder for the files that the next process needs
 */
export function localPanelStores(
  settings: Pick<PanelSettings, 'id' | 'serial'>,
  folder: string,
): PanelStores {
  const panel = new CursorFile(panelFile(settings, folder, 'events'))
  const cursors = new Map<string, CursorStore>()
  return {
    pollLease: () => lastingLease,
    deliveryLease: () => lastingLease,
    // Only when a node asks for it: the panel before, which may have been in a cluster, has closed by then.
    cursor: ({ id }) =>
      getOrCreate(cursors, id, () => {
        const path = nodeFile(settings, id, folder, 'events')
        const wasInCluster = existsSync(path)
        return wasInCluster
          ? new NodeCursor(id, settings.serial, { own: new CursorFile(path), panel })
          : panel
      }),
  }
}

/**
 * Returns the cursors of a panel's nodes in the files of an instance of a cluster; the same object for each call about a
 * node.
 * @param notice gets a sentence for the log; must not throw
 */
export function nodeCursors(
  settings: Pick<PanelSettings, 'id' | 'serial'>,
  folder: string,
  notice: (sentence: string) => void,
): (node: Pick<DeliveringNode, 'id'>) => NodeCursor {
  const panel = new CursorFile(panelFile(settings, folder, 'events'))
  const nodes = new Map<string, NodeCursor>()
  return ({ id }) =>
    getOrCreate(nodes, id, () => {
      const own = new CursorFile(nodeFile(settings, id, folder, 'events'), consequenceOfCopy)
      return new NodeCursor(id, settings.serial, { own, panel }, notice)
    })
}

/** A sentence about events while the copy of a shared cursor cannot be written. */
const consequenceOfCopy =
  'Events still arrive, but if the Redis of the cluster loses its data, some may come twice or not at all.'

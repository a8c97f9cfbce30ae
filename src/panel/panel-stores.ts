import { join } from 'node:path'
import type { Account } from '../account/account.ts'
import { digest } from '../account/account-registry.ts'
import type { Clock } from '../clock.ts'
import type { CommandQueue } from './commands/command-queue.ts'
import { CursorCopy } from './events/cursor/cursor-copy.ts'
import { CursorFile } from './events/cursor/cursor-file.ts'
import type { FolderListing } from './events/cursor/folder-listing.ts'
import { findLeftCopies, inFileName } from './events/cursor/left-copies.ts'
import { PanelCursor } from './events/cursor/panel-cursor.ts'
import type { EventStores } from './events/event-deliveries.ts'
import { type DeliveringNode, lastingLease } from './lease.ts'
import type { PanelSettings } from './panel-settings.ts'

/** The state that all processes with a panel share: this process and those before it, or several at a time. */
export interface PanelStores extends EventStores {
  /** The command queue of the panel in all processes; undefined for a process that is alone. */
  readonly commandQueue?: CommandQueue
}

/** Returns the path of the file with the bypasses of a panel, whatever nodes it has. */
export function bypassFile({ settings }: Pick<Account, 'settings'>, serial: string, folder: string): string {
  return join(folder, `panel-${digest(new URL(settings.url).host, serial)}.bypasses.json`)
}

/** Returns the path of a file about a panel node. */
export function panelFile({ id }: Pick<PanelSettings, 'id'>, folder: string, what: string): string {
  return join(folder, `${what}-${inFileName(id)}.json`)
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
  const path = panelFile(settings, folder, 'events')
  let cursor: PanelCursor | undefined
  return {
    pollLease: () => lease,
    deliveryLease: () => lease,
    // Only when a node asks for it: the panel before, which may have been in a cluster, has closed by then.
    cursor: () => {
      cursor ??= new PanelCursor(new CursorFile(path), path)
      return cursor
    },
  }
}

/**
 * Returns the files of an instance of a cluster about the cursors of a panel's nodes; the same object for each call about
 * a node.
 * @param notice gets a sentence for the log; must not throw
 */
export function cursorCopies(
  settings: Pick<PanelSettings, 'id'>,
  folder: string,
  notice: (sentence: string) => void,
): (node: Pick<DeliveringNode, 'id'>) => CursorCopy {
  const panel = new CursorFile(panelFile(settings, folder, 'events'))
  const copies = new Map<string, CursorCopy>()
  return ({ id }) => {
    const path = panelFile({ id: `${settings.id}-${id}` }, folder, 'events')
    const files = { own: new CursorFile(path, consequenceOfCopy), panel }
    const copy = copies.get(id) ?? new CursorCopy(id, files, notice)
    copies.set(id, copy)
    return copy
  }
}

/** A sentence about events while the copy of a shared cursor cannot be written. */
const consequenceOfCopy =
  'Events still arrive, but if the Redis of the cluster loses its data, some may come twice or not at all.'

/**
 * Removes the files of an instance of a cluster about nodes that are gone. Never rejects.
 * @param listing of the folder
 * @param nodeNames the ids of all nodes of the flows, as they are in names of files; a node in a subflow has that of its
 * subflow node before its own
 */
export async function removeCopiesOfGoneNodes(
  settings: Pick<PanelSettings, 'id'>,
  folder: string,
  listing: FolderListing,
  nodeNames: ReadonlySet<string>,
): Promise<void> {
  const isGone = (name: string) => {
    const parts = name.split('-')
    return !parts.some((_, index) => nodeNames.has(parts.slice(index).join('-')))
  }
  const { copies } = await findLeftCopies(panelFile(settings, folder, 'events'), listing, isGone)
  await Promise.all(copies.map((copy) => copy.remove().catch(() => {})))
}

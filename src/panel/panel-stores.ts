import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { CursorFile } from './events/cursor-file.ts'
import type { CursorStore } from './events/cursor-store.ts'
import type { PanelSettings } from './panel-settings.ts'
import { type Lease, lastingLease } from './polling/lease.ts'

/** The state that all processes with a panel share: this process and those before it, or several at a time. */
export interface PanelStores {
  /** Its holder polls the panel and delivers its events. */
  readonly lease: Lease
  readonly cursor: CursorStore
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
  return {
    lease: lastingLease(() => clock.monotonic()),
    cursor: new CursorFile(panelFile(settings, folder, 'events')),
  }
}

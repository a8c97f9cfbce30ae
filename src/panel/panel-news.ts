import { digest } from '../account/account-registry.ts'
import { alarmKindOf } from '../service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import type { Device } from '../service/responses/devices.ts'
import type { PanelEvent } from '../service/responses/events.ts'
import { hash } from './events/event-key.ts'

/** The number of lists without any event that show that there was none: one alone is among the faults that lists have. */
const believed = 2

/** Notices what is new in the lists of a panel, compared with those before. */
export class PanelNews {
  /** The hash of the newest event; undefined before the first list. */
  #newest: number | undefined
  #emptyLists = 0
  #devices: string | undefined

  /**
   * Returns what a list of events has that the one before lacks: an alarm, other events, or nothing. In the first list
   * nothing is new.
   * @param list oldest first
   */
  ofEvents(list: readonly PanelEvent[], catalogue: Catalogue): 'alarm' | 'event' | null {
    const before = this.#newest
    const last = list.at(-1)
    if (last === undefined) {
      this.#emptyLists += 1
      return null
    }
    this.#newest = hash(last)
    if (this.#newest === before || (before === undefined && this.#emptyLists < believed)) return null
    const known = before === undefined ? -1 : list.findLastIndex((event) => hash(event) === before)
    // A thin list may lack the event that was the newest one.
    const added = known < 0 && before !== undefined ? [last] : list.slice(known + 1)
    const isAlarm = added.some(({ type_id }) => {
      const type = catalogue.get(type_id ?? Number.NaN)
      return type !== undefined && alarmKindOf(type) !== null
    })
    return isAlarm ? 'alarm' : 'event'
  }

  /** Returns true if a device differs from the list before in its warnings or bypass, or appeared or went. */
  ofDevices(list: readonly Device[]): boolean {
    const rows = list.map(({ id, warnings, traits }) => [id, warnings, traits.bypass?.enabled])
    const outline = digest(JSON.stringify(rows))
    const isNew = this.#devices !== undefined && this.#devices !== outline
    this.#devices = outline
    return isNew
  }
}

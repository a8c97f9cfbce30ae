import type { Catalogue } from '../service/catalogue.ts'
import { deviceSubtypes } from '../service/device-subtypes.ts'
import { deviceWarnings } from '../service/device-warnings.ts'
import type { Device } from '../service/devices.ts'
import type { PanelEvent } from '../service/events.ts'

/** What the service said and this package does not know, for a bug report: each sorted, none twice. */
export interface Unknown {
  /** Type ids of events that the catalogue does not have. */
  typeIds: number[]
  /** Device subtypes that are in no list. */
  subtypes: string[]
  /** Types of device warnings that are in no list. */
  warnings: string[]
}

/** A panel says a few such words; more would be no words. */
const most = 50

/** Words of the service are capitals, with a number at most; anything else may be a name, an address or a serial. */
const isWord = (text: string) => /^[A-Z][A-Z0-9_]{2,39}$/.test(text) && !/\d.*[A-Z].*\d/.test(text)
const isTypeId = (id: number | null): id is number => id !== null && id >= 0 && id < 1_000_000

/** The type ids of the events that the catalogue does not have. */
export function unknownTypeIds(events: readonly PanelEvent[], catalogue: Catalogue): number[] {
  return events.map(({ type_id }) => type_id).filter((id) => isTypeId(id) && !catalogue.has(id)) as number[]
}

/** The subtypes of the devices that are in no list. */
export function unknownSubtypes(devices: readonly Device[]): string[] {
  return devices.map(({ subtype }) => subtype).filter((word) => isWord(word) && !deviceSubtypes.has(word))
}

/** The types of the devices' warnings that are in no list. */
export function* unknownWarnings(devices: readonly Device[]): Iterable<string> {
  for (const { warnings } of devices) {
    for (const { type } of warnings) if (!deviceWarnings.has(type) && isWord(type)) yield type
  }
}

/** Collects what is unknown while a panel is polled, in memory only. */
export class UnknownWords {
  readonly #typeIds = new Set<number>()
  readonly #subtypes = new Set<string>()
  readonly #warnings = new Set<string>()
  #catalogue: Catalogue | undefined
  #edges = ''

  /** Takes in the list of events; one that is as before is not looked through. */
  noteEvents(events: readonly PanelEvent[], catalogue: Catalogue): void {
    const edges = JSON.stringify([events.length, glimpse(events[0]), glimpse(events.at(-1))])
    if (edges === this.#edges && catalogue === this.#catalogue) return
    this.#edges = edges
    this.#catalogue = catalogue
    // The service's own catalogue may come after the first events, and have what the bundled one lacks.
    for (const id of this.#typeIds) if (catalogue.has(id)) this.#typeIds.delete(id)
    add(this.#typeIds, unknownTypeIds(events, catalogue))
  }

  /** Takes in the list of devices. */
  noteDevices(devices: readonly Device[]): void {
    add(this.#subtypes, unknownSubtypes(devices))
    add(this.#warnings, unknownWarnings(devices))
  }

  /** All that was collected so far; lists of its own for each who asks. */
  get all(): Unknown {
    return {
      typeIds: [...this.#typeIds].sort((one, other) => one - other),
      subtypes: [...this.#subtypes].sort(),
      warnings: [...this.#warnings].sort(),
    }
  }
}

function add<T>(known: Set<T>, found: Iterable<T>): void {
  for (const item of found) {
    if (known.size >= most) return
    known.add(item)
  }
}

/** Enough of an event to see that the list moved on. */
function glimpse(event: PanelEvent | undefined): unknown {
  return event && [event.event, event.type_id, event.datetime]
}

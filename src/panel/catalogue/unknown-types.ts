import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { deviceSubtypes, deviceWarnings } from '../../service/catalogue/device-types.ts'
import type { Device } from '../../service/responses/devices.ts'
import type { PanelEvent } from '../../service/responses/events.ts'

/**
 * Values from the service that this package does not know, for a bug report: each list sorted, without
 * duplicates.
 */
export interface UnknownTypes {
  /** Type ids of events that the catalogue does not have. */
  typeIds: number[]
  /** Device subtypes that are in no list. */
  subtypes: string[]
  /** Types of device warnings that are in no list. */
  warnings: string[]
}

/** Maximum number of values of each kind. A panel has only a few unknown words; more are not real words. */
const maxWords = 50

/**
 * Returns true for a word of the service: capitals, with at most one number. Anything else can be a name, an
 * address or a serial.
 */
const isWord = (text: string) => /^[A-Z][A-Z0-9_]{2,39}$/.test(text) && !/\d.*[A-Z].*\d/.test(text)

/** A larger number is no id of a type. */
const maxTypeId = 999_999

/** Collects unknown values while a panel is polled, in memory only. */
export class UnknownTypeCollector {
  readonly #typeIds = new Set<number>()
  readonly #subtypes = new Set<string>()
  readonly #warnings = new Set<string>()
  #catalogue: Catalogue | undefined
  #edges = ''

  /** Processes the list of events; an unchanged list is skipped. */
  noteEvents(events: readonly PanelEvent[], catalogue: Catalogue): void {
    const edges = JSON.stringify([events.length, glimpse(events[0]), glimpse(events.at(-1))])
    if (edges === this.#edges && catalogue === this.#catalogue) return
    this.#edges = edges
    this.#catalogue = catalogue
    // The service's own catalogue may arrive after the first events and have types that the bundled one
    // lacks.
    for (const id of this.#typeIds) if (catalogue.has(id)) this.#typeIds.delete(id)
    for (const { type_id: id } of events) {
      if (id !== null && id >= 0 && id <= maxTypeId && !catalogue.has(id)) add(this.#typeIds, id)
    }
  }

  /** Processes the list of devices. */
  noteDevices(devices: readonly Device[]): void {
    for (const { subtype, warnings } of devices) {
      if (!deviceSubtypes.has(subtype) && isWord(subtype)) add(this.#subtypes, subtype)
      for (const { type } of warnings)
        if (!deviceWarnings.has(type) && isWord(type)) add(this.#warnings, type)
    }
  }

  /** All values collected so far; each call returns new lists. */
  get all(): UnknownTypes {
    return {
      typeIds: [...this.#typeIds].sort((one, other) => one - other),
      subtypes: [...this.#subtypes].sort(),
      warnings: [...this.#warnings].sort(),
    }
  }
}

function add<T>(known: Set<T>, found: T): void {
  if (known.size < maxWords) known.add(found)
}

/** Returns enough of an event to detect that the list has changed. */
function glimpse(event: PanelEvent | undefined): unknown {
  return event && [event.event, event.type_id, event.datetime]
}

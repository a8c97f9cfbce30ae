import type { Account } from '../../account/account.ts'
import type { ReadOptions } from '../../account/requests/request.ts'
import { within } from '../../clock.ts'
import { Documents, doWithout } from '../../documents.ts'
import { day, minute } from '../../duration.ts'
import type { Catalogue, EventType } from '../../service/catalogue/catalogue.ts'
import { deviceSubtypes, deviceTypes, deviceWarnings } from '../../service/catalogue/device-types.ts'
import { bundled, catalogueEnUs } from '../../service/catalogue/en-us.ts'
import { hasCode } from '../../service/error.ts'
import { operations } from '../../service/operations.ts'
import type { Device } from '../../service/responses/devices.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import { type Check, integer, list, parse, parseJson, record, text } from '../../service/schema.ts'

/** Milliseconds for which an event waits for its texts; after that it is delivered with the known ones. */
const maxWait = 2000

/** Without its file the service is asked again after the next start: no data is lost. */
const documents = new Documents(doWithout)

/**
 * The event catalogue in the account's language: from the service if it answers, else its answer to an
 * earlier process, else the bundled one. It is requested again every day.
 *
 * The service's rows are placed over the bundled en_US rows, because a service may show only some of its
 * groups.
 */
export class EventCatalogue {
  readonly #account: Account
  readonly #path: string
  #rows: readonly EventType[] | undefined
  #merged = bundled
  #notBefore = Number.NEGATIVE_INFINITY
  #recalled: Promise<void> | undefined

  /** @param path the file that keeps the service's answer; its folder is created when it is first needed */
  constructor(account: Account, path: string) {
    this.#account = account
    this.#path = path
  }

  /** Returns the catalogue as it is known now; never rejects, and does not delay an event for long. */
  async read(options: ReadOptions): Promise<Catalogue> {
    const { clock } = this.#account
    this.#recalled ??= this.#recall()
    await this.#recalled
    if (clock.monotonic() < this.#notBefore) return this.#merged
    await within(clock, maxWait, this.#refresh(options))
    return this.#merged
  }

  /** Takes the answer that an earlier process has kept, if there is one; never rejects. */
  async #recall(): Promise<void> {
    const kept = parse(keptRows, parseJson((await documents.read(this.#path)) ?? ''))?.value
    // Without rows it would be a copy of the bundled catalogue for each panel: a tenth of the panel's memory.
    if (kept !== undefined) this.#take(kept)
  }

  /** Requests the catalogue, or reuses the answer of the last day; never rejects. */
  async #refresh(options: ReadOptions): Promise<void> {
    const { signal } = options
    const { clock, settings } = this.#account
    try {
      const share = { as: 'description' } as const
      const request = { ...options, maxAge: day, locale: settings.locale, share }
      const { value } = await this.#account.sendRead(operations.eventProfiles, request)
      if (value === this.#rows) return
      this.#rows = value
      this.#take(value)
      await documents.replace(this.#path, JSON.stringify(value))
    } catch (thrown) {
      if (signal.aborted) return
      this.#notBefore = clock.monotonic() + 10 * minute
      // The bundled texts are those of en_US.
      if (settings.locale !== 'en_US' && hasCode(thrown, 'BAD_SETTING', 'NOT_FOUND'))
        this.#account.noteLanguageRefusal(thrown)
    }
  }

  #take(rows: readonly EventType[]): void {
    this.#merged = withDefaults(rows)
  }
}

/** Built once for each answer of the service, which the panels of an account share. */
const merged = new WeakMap<readonly EventType[], Catalogue>()

/** The groups of the bundled catalogue. A service may list its types in further groups as well, such as `EP_ALL`. */
const knownGroups: ReadonlySet<string> = new Set(catalogueEnUs.map(({ group }) => group))

const isKnown = ({ group }: EventType) => knownGroups.has(group)

/** Returns how much a group tells about a type: 2 for a known one, 1 for one that is not, 0 for that of all types. */
function telling(type: EventType): number {
  if (isKnown(type)) return 2
  return type.group === 'EP_ALL' ? 0 : 1
}

/**
 * Returns the service's rows over the bundled ones, because the service may lack some.
 *
 * Of a type that several groups list, the first row of a known group counts, because the group distinguishes
 * an alarm from its restore. A type that only unknown groups list keeps its bundled group, or has the first group that is not
 * that of all types.
 */
export function withDefaults(rows: readonly EventType[]): Catalogue {
  const known = merged.get(rows)
  if (known !== undefined) return known
  const chosen = new Map<number, EventType>()
  for (const type of rows) {
    const earlier = chosen.get(type.typeId)
    if (earlier === undefined || telling(type) > telling(earlier)) chosen.set(type.typeId, type)
  }
  const catalogue = new Map(bundled)
  for (const [typeId, type] of chosen) {
    const { group } = isKnown(type) ? type : (bundled.get(typeId) ?? type)
    catalogue.set(typeId, { ...type, group })
  }
  merged.set(rows, catalogue)
  return catalogue
}

/** The check of a kept answer: only texts, none of them private. */
const keptRows: Check<EventType[]> = list(
  record({
    typeId: integer,
    group: text,
    vis: text,
    contactId: text,
    sia: text,
    label: text,
    description: text,
    descriptionOriginal: text,
  }),
)

/**
 * Values from the service that this package does not know, for a bug report: each list sorted, without
 * duplicates.
 */
export interface UnknownTypes {
  /** Type ids of events that the catalogue does not have. */
  typeIds: number[]
  /** Types of devices that are in no list. */
  deviceTypes: string[]
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
  readonly #deviceTypes = new Set<string>()
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
    for (const { device_type, subtype, warnings } of devices) {
      if (!deviceTypes.has(device_type) && isWord(device_type)) add(this.#deviceTypes, device_type)
      if (!deviceSubtypes.has(subtype) && isWord(subtype)) add(this.#subtypes, subtype)
      for (const { type } of warnings)
        if (!deviceWarnings.has(type) && isWord(type)) add(this.#warnings, type)
    }
  }

  /** All values collected so far; each call returns new lists. */
  get all(): UnknownTypes {
    return {
      typeIds: [...this.#typeIds].sort((one, other) => one - other),
      deviceTypes: [...this.#deviceTypes].sort(),
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

import { isDeepStrictEqual } from 'node:util'
import { digest } from '../account/account-registry.ts'
import type { Answer } from '../account/answer.ts'
import { day, second } from '../duration.ts'
import { alarmKindOf } from '../service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import type { Device } from '../service/responses/devices.ts'
import { eventTime, type PanelEvent } from '../service/responses/events.ts'
import { eventKey, hash } from './events/event-order.ts'
import type { Incident } from './incidents/incident.ts'
import { type IncidentBook, matters, newBook, withEvents } from './incidents/incident-book.ts'
import { alarmList, isGuarded, withAlarms } from './incidents/incident-state.ts'
import { listedAlarms, oncePerPlace, type RunningAlarm, unendedAlarms } from './incidents/running-alarms.ts'
import { isMove, latestMoves, type StoryEvent, storyEvents } from './incidents/story-event.ts'
import { madeAt, type Snapshot } from './snapshot.ts'
import { maxDelay, type ShownArming } from './state/alarm-evidence.ts'
import { isUnready, type StateView } from './state/partition-state.ts'
import { evidenceOf } from './state/state-changes.ts'

/** The age of an event up to which it can tell of an alarm that runs, as far as this process has not seen it begin. */
const maxAge = day

const delays = ['ENTRY_DELAY', 'ARMING'] as const

/** The facts about a panel that its nodes show besides their own. */
export interface SituationFacts {
  /** The alarms that run, each place once; a threat is none of them. */
  readonly alarms: readonly RunningAlarm[]
  /** Milliseconds since 1970 at which the contact with an armed panel was lost; null while it is not. */
  readonly contactLostAt: number | null
  /** The delay that runs, the entry delay first; null if none does. */
  readonly delay: 'ENTRY_DELAY' | 'ARMING' | null
  /** True if a disarmed partition is not ready to be armed. */
  readonly isUnready: boolean
}

/**
 * The situation of a panel, as far as the lists that are read anyway have told: the alarms that run, and if a partition
 * is in a delay or not ready. All nodes of the panel look at it, so that they agree.
 */
export class Situation {
  readonly #serial: string
  readonly #timeZone: string
  readonly #listeners = new Set<() => void>()
  /** The incidents since the start of this process; undefined before the first list of events. */
  #book: IncidentBook | undefined
  #catalogue: Catalogue = new Map()
  /** Milliseconds since 1970 of the latest answer; the machine's clock may have been ahead before. */
  #readAt = 0
  /** The hashes of the events that were too old when the first lists were read: their keys would be most of a panel's memory. */
  #past = new Uint32Array()
  /** The time of the first lists: an event after it is none of them. Infinity if one of theirs has no time of its own. */
  #pastUntil = Number.NEGATIVE_INFINITY
  /** The length and the outermost events of the latest list of events: nearly every other list has others. */
  #outline = ''
  /** The arrival of the first list of events, in milliseconds of the monotonic clock. */
  #firstAt: number | undefined
  #areEventsKnown = false
  /** The number of events that have got their order. */
  #ordered = 0
  #state: Snapshot<StateView> | undefined
  /** True once two answers have agreed on the list of alarms. */
  #wasListWhole = false
  /** Undefined before the first answer. */
  #hasContact: boolean | undefined
  #contactLostAt: number | null = null
  /** The alarms that nodes with a memory of their own know of, by node id. */
  readonly #remembered = new Map<string, readonly RunningAlarm[]>()
  #facts: SituationFacts | undefined
  #told: SituationFacts

  /** @param timeZone the zone of the times in the events */
  constructor(serial: string, timeZone: string) {
    this.#serial = serial
    this.#timeZone = timeZone
    this.#told = this.facts
  }

  /** The facts now; the same object until something new is known. */
  get facts(): SituationFacts {
    this.#facts ??= this.#determineFacts()
    return this.#facts
  }

  /**
   * True once an alarm that is not among the facts does not run: two answers agree on the list of alarms, and two lists of
   * events were read, of which the first one may be thin (field fact).
   */
  get isKnown(): boolean {
    const { view } = this.#state ?? {}
    if (!this.#areEventsKnown || view === undefined) return false
    // What the list has shown last is known while it cannot be read.
    return view.hasAllAlarms !== false || (view.isListLost === true && this.#wasListWhole)
  }

  /** Calls `listener` after each change. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Tells the listeners a change, after the nodes have got the view that has brought it. */
  tell(): void {
    const { facts } = this
    if (isDeepStrictEqual(facts, this.#told)) return
    this.#told = facts
    for (const listener of [...this.#listeners]) listener()
  }

  /**
   * Takes a state of the panel.
   * @param online true if the service reaches the panel, as far as this or an earlier answer tells
   */
  noteState(state: Snapshot<StateView>, online = state.view.online !== false): void {
    if (this.#state !== undefined && state.sentAt < this.#state.sentAt) return
    this.#state = state
    this.#facts = undefined
    this.#readAt = state.fetchedAt
    this.#wasListWhole ||= state.view.hasAllAlarms === true
    // Right after a sign-in a service may not have reached the panel yet.
    if (online) this.#contactLostAt = null
    else if (this.#hasContact !== undefined && isGuarded(state.view))
      this.#contactLostAt ??= Math.floor(state.fetchedAt)
    this.#hasContact = online
    this.#compareWithList()
  }

  /**
   * Takes a list of events, oldest first.
   * @param armings that answers show although no event tells them
   */
  noteEvents(
    answer: Answer<readonly PanelEvent[]>,
    catalogue: Catalogue,
    armings: readonly ShownArming[] = [],
  ): void {
    const { value: list, fetchedAt } = answer
    const wereEventsKnown = this.#areEventsKnown
    this.#areEventsKnown ||= this.#firstAt !== undefined && madeAt(answer) >= this.#firstAt
    this.#firstAt ??= answer.at
    const outline = [list.length, ...[...list.slice(0, 1), ...list.slice(-1)].map(this.#nameOf)].join()
    this.#catalogue = catalogue
    this.#facts = undefined
    this.#readAt = fetchedAt
    if (this.#book !== undefined && outline === this.#outline) return
    this.#outline = outline
    const events = this.#storyOf(list, !wereEventsKnown)
    const isFirst = this.#book === undefined
    // What comes after the first lists is news, whatever the panel's clock says.
    if (!wereEventsKnown) {
      const past = events.filter(({ time }) => time <= fetchedAt - maxAge)
      this.#past = Uint32Array.from(new Set([...this.#past, ...past.map(({ key }) => hashOf(key))]))
      const areDated = list.every((event) => eventTime(event, this.#timeZone) !== null)
      this.#pastUntil = areDated ? Math.max(this.#pastUntil, fetchedAt) : Number.POSITIVE_INFINITY
    }
    // Counted back from the latest event, by the panel's own clock: it may be behind.
    const since = Math.min(fetchedAt, events.at(-1)?.time ?? fetchedAt) - maxAge
    const recent = events.filter((event) => event.time > since && !this.#isPast(event))
    // The last arming tells if a restore ends an alarm, however old it is.
    const moves = isFirst ? latestMoves(events.filter((event) => isMove(event, catalogue))) : []
    const book = this.#book ?? newBook(fetchedAt)
    this.#book = withEvents(book, [...moves, ...recent], catalogue, fetchedAt, armings)
    if (isFirst) this.#compareWithList()
  }

  /** Takes the alarms that run as a node knows them, which remembers more than this process has seen. */
  noteAlarms(nodeId: string, alarms: readonly RunningAlarm[]): void {
    this.#remembered.set(nodeId, alarms)
    this.#facts = undefined
    this.tell()
  }

  /** Forgets the alarms of a node that was closed. */
  forgetAlarms(nodeId: string): void {
    this.#remembered.delete(nodeId)
    this.#facts = undefined
    this.tell()
  }

  #determineFacts(): SituationFacts {
    const partitions = this.#state?.view.partitions ?? []
    const incidents = this.#book?.incidents ?? []
    const all = incidents.length > 0 ? unendedAlarms(incidents, this.#catalogue, this.#readAt) : []
    const { view } = this.#state ?? {}
    const isAwaited = view?.hasAllAlarms === false && view.isListLost !== true && view.online !== false
    const unended = isAwaited ? this.#withoutOld(all, incidents) : all
    const listed = this.#state ? listedAlarms(this.#state.view) : []
    return {
      alarms: oncePerPlace([...[...this.#remembered.values()].flat(), ...unended, ...listed]),
      contactLostAt: this.#contactLostAt,
      delay: delays.find((delay) => partitions.some(({ value }) => value === delay)) ?? null,
      isUnready: partitions.some(isUnready),
    }
  }

  /** Returns alarms without those of before the start: two lists will tell if they run, and the first one has those that do. */
  #withoutOld(alarms: readonly RunningAlarm[], incidents: readonly Incident[]): RunningAlarm[] {
    const isOld = ({ isPast, time }: StoryEvent) => isPast && this.#readAt - time > maxDelay
    const old = new Set(incidents.flatMap(({ events }) => events.filter(isOld).map(({ key }) => key)))
    return alarms.filter(({ eventKey }) => eventKey === null || !old.has(eventKey))
  }

  #compareWithList(): void {
    if (this.#book === undefined || this.#state === undefined) return
    const { view, fetchedAt } = this.#state
    // The list of a panel that is out of reach says nothing: what it said last stands.
    if (view.online === false) return
    const list = alarmList(view, this.#timeZone)
    this.#book = withAlarms(this.#book, list, this.#catalogue, fetchedAt, view.evidence)
  }

  /**
   * Returns the events that can be a part of an incident, oldest first.
   * @param isOfFirstRun true if they may have happened before this process has begun
   */
  #storyOf(list: readonly PanelEvent[], isOfFirstRun: boolean): StoryEvent[] {
    const counts = new Map<string, number>()
    // The clock of a machine has fractions, and a node keeps the times of alarms in its notes.
    const readAt = Math.floor(this.#readAt)
    const context = { catalogue: this.#catalogue, timeZone: this.#timeZone, readAt }
    const listed = list.flatMap((event) => {
      if (!matters({ typeId: event.type_id }, this.#catalogue)) return []
      const name = this.#nameOf(event)
      const occurrence = (counts.get(name) ?? 0) + 1
      counts.set(name, occurrence)
      this.#ordered += 1
      return [
        { event, key: eventKey(this.#serial, event, occurrence), sequence: this.#ordered, isOfFirstRun },
      ]
    })
    const { incidents = [], loose = [] } = this.#book ?? {}
    return storyEvents(listed, context, [...loose, ...incidents.flatMap(({ events }) => events)])
  }

  #isPast({ key, time }: StoryEvent): boolean {
    // Short hashes suffice, because no event is compared that the panel's clock puts after the first lists.
    return time <= this.#pastUntil && this.#past.includes(hashOf(key))
  }

  readonly #nameOf = (event: PanelEvent) => eventKey(this.#serial, event, 1)
}

/** Returns a number of 32 bits for the key of an event. */
function hashOf(key: string): number {
  return Number.parseInt(digest(key).slice(0, 8), 16)
}

/** The number of lists without any event that show that there was none: one alone is among the faults that lists have. */
const believed = 2

/**
 * The milliseconds after which the service lists an event, in the middle of the latest ones. It lists one after the request
 * for the list before, which lacks it, and before the answer that has it. The panel's clock may be wrong: no event is listed
 * before it happens, and `least` counts from the one that was listed soonest.
 */
export interface EventDelay {
  least: number
  most: number
}

/** The number of events that tell how late the service lists them. */
const maxDelays = 50

/** Milliseconds that the times of events leave open: they show whole seconds. */
const precision = second

/** Notices what is new in the lists of a panel, compared with those before. */
export class PanelNews {
  /** The hash of the newest event; undefined before the first list. */
  #newest: number | undefined
  #emptyLists = 0
  /** The time of the request for the latest list: milliseconds since 1970. */
  #requestedAt: number | undefined
  /** The times of the latest new events, and those between which they were listed. */
  #listed: readonly { at: number; from: number; to: number }[] = []
  #devices: string | undefined

  /**
   * Returns what a list of events has that the one before lacks: an alarm, something about the panel itself such as lost mains
   * power or its end, other events, or nothing. In the first list nothing is new.
   * @param answer the list, oldest first
   * @param timeZone of the times in the events
   */
  ofEvents(
    { value: list, fetchedAt, at, sentAt }: Answer<readonly PanelEvent[]>,
    catalogue: Catalogue,
    timeZone: string,
  ): 'alarm' | 'fault' | 'event' | null {
    const from = this.#requestedAt
    this.#requestedAt = fetchedAt - (at - sentAt)
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
    if (known >= 0 && from !== undefined) {
      const listed = added.flatMap((event) => {
        const time = eventTime(event, timeZone)
        return time === null ? [] : [{ at: Date.parse(time), from, to: fetchedAt }]
      })
      this.#listed = [...this.#listed, ...listed].slice(-maxDelays)
    }
    let news: 'fault' | 'event' = 'event'
    for (const event of added) {
      const type = catalogue.get(event.type_id ?? Number.NaN)
      if (type !== undefined && alarmKindOf(type) !== null) return 'alarm'
      const isOfPanel = event.device_type === 'CONTROL_PANEL'
      if (isOfPanel && evidenceOf(event, catalogue) === null) news = 'fault'
    }
    return news
  }

  /** The delay of the service's list of events; null before it has had a new one. */
  get eventDelay(): EventDelay | null {
    if (this.#listed.length === 0) return null
    const soonest = Math.min(...this.#listed.map(({ at, to }) => to - at))
    const middleOf = (delays: number[]) =>
      Math.round(delays.toSorted((one, other) => one - other)[Math.floor(delays.length / 2)] ?? 0)
    return {
      least: middleOf(this.#listed.map(({ at, from }) => Math.max(0, from - at - precision - soonest))),
      most: middleOf(this.#listed.map(({ at, to }) => to - at - Math.min(0, soonest))),
    }
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

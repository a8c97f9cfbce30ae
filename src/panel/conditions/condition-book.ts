import { isDeepStrictEqual } from 'node:util'
import { hour, minute } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { PanelDevices } from '../devices/readings.ts'
import { pairEvents } from '../incidents/pairing.ts'
import type { RunningAlarm } from '../incidents/running-alarms.ts'
import { roleOf, type StoryEvent } from '../incidents/story-event.ts'
import type { StateView } from '../state/partition-state.ts'
import {
  type ConditionSource,
  type Evidence,
  hasTrait,
  type PanelCondition,
  placeOf,
  withEvidence,
} from './condition.ts'
import {
  alarmConditions,
  contactConditions,
  deviceConditions,
  devicesSpeakOf,
  faultConditions,
  kindOfStart,
  knownLines,
  type Line,
  maxAgeAtFirst,
  placesOf,
  startCondition,
  stateConditions,
  stateSpeaksOf,
} from './condition-evidence.ts'
import { withLeftOutZones } from './left-out-zones.ts'
import {
  type MaintenanceChoice,
  type MaintenanceFacts,
  maintenanceConditions,
  nothingKnown,
  withMaintenanceEvents,
} from './maintenance.ts'
import {
  type Arming,
  type ListOfDevices,
  withBypassEvents,
  withOutlivedBypasses,
  withPartitions,
} from './outlived-bypasses.ts'

/** The conditions of a panel that are known, and what is needed to follow them. */
export interface ConditionBook {
  /** Milliseconds since 1970: the time of the first list ever. */
  readonly begunAt: number
  readonly conditions: readonly PanelCondition[]
  /** The starts that no event has ended, and the latest ends, because a start may become known after its end. */
  readonly events: readonly StoryEvent[]
  /** Keys of starts that a list has ended although no event has. */
  readonly over: readonly string[]
  /** The places of the devices that the panel has; null before the first list of devices. */
  readonly places: readonly string[] | null
  /** False if the service does not say whether it reaches the panel, so that events decide. */
  readonly isOnlineTold: boolean
  /** The ways to the service that have worked. */
  readonly lines: readonly Line[]
  /** The partitions that were seen armed, for the bypasses that their disarm ends. */
  readonly armings: readonly Arming[]
  readonly facts: MaintenanceFacts
}

/** The catalogue and the time by which events are judged. */
export interface ConditionContext {
  readonly catalogue: Catalogue
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Milliseconds for which ends are remembered, for starts that become known late. */
const endsKept = 2 * hour

/** Milliseconds after an event became known in which the list of devices may still lack what it tells. */
const maxLag = 10 * minute

/** The events that are kept as evidence, far more than stand at a time, and the keys of those that are over. */
const maxEvents = 300
const maxOver = 100

/** Returns the book of a panel of which nothing is known. */
export function newBook(begunAt: number): ConditionBook {
  return {
    begunAt,
    conditions: [],
    events: [],
    over: [],
    places: null,
    isOnlineTold: true,
    lines: [],
    armings: [],
    facts: nothingKnown,
  }
}

/** Returns the book after further events, in any order; those that it has already change nothing. */
export function withEvents(
  book: ConditionBook,
  events: readonly StoryEvent[],
  context: ConditionContext,
): ConditionBook {
  const { catalogue, now } = context
  const known = new Set([...book.events.map(({ key }) => key), ...book.over])
  const added = new Map(
    events.filter((one) => !known.has(one.key) && matters(one, catalogue)).map((one) => [one.key, one]),
  )
  const all = [...book.events, ...added.values()]
  const open = pairEvents(all, catalogue, now).flatMap(({ start, endedAt }) =>
    endedAt === null ? [start] : [],
  )
  const stays = new Set(open)
  const kept = all.filter(
    (event) => stays.has(event) || (isEnd(event, catalogue) && now - event.time < endsKept),
  )
  const facts = withMaintenanceEvents(book.facts, events, catalogue, now)
  const armings = withBypassEvents(book.armings, events)
  const next = kept.length === book.events.length && added.size === 0 ? book.events : kept.slice(-maxEvents)
  const isSame = next === book.events && facts === book.facts && armings === book.armings
  return told(isSame ? book : { ...book, events: next, facts, armings }, context)
}

/**
 * Returns the book after the list of devices was read; that of an offline panel is no news.
 * @param list absent for a list that does not judge which bypasses a disarm should have ended
 */
export function withDevices(
  book: ConditionBook,
  view: PanelDevices,
  context: ConditionContext,
  list?: ListOfDevices,
): ConditionBook {
  if (!view.isCurrent) return book
  const listed = placesOf(view.listed)
  const unlisted = view.hasAll ? placesOf(view.held) : (book.places ?? [])
  const places = [...new Set([...listed, ...unlisted])].sort()
  const before = isDeepStrictEqual(places, book.places) ? book : { ...book, places }
  const all = deviceConditions(view, book.conditions, context.now)
  const leftOut = withLeftOutZones(all, view.listed, book)
  const evidence = withOutlivedBypasses(leftOut, view.listed, book, list)
  const after = shown(before, 'devices', evidence, context, (condition) => devicesSpeakOf(view, condition))
  const seen = withoutUnseen(after, evidence, new Set(listed), context)
  const { faults } = view
  if (!faults) return seen
  return shown(seen, 'faults', faultConditions(faults), context, () => faults.areAll)
}

/** Returns the book of a panel whose service has no list of devices: its events decide. */
export function withoutDevices(book: ConditionBook, context: ConditionContext): ConditionBook {
  return book.places === null ? told({ ...book, places: [] }, context) : book
}

/** Returns the book after the state was read. */
export function withState(book: ConditionBook, view: StateView, context: ConditionContext): ConditionBook {
  // One answer that does not say it proves nothing.
  const isOnlineTold = view.online !== null || (book.isOnlineTold && !view.hasAllPartitions)
  const lines = knownLines(view, book.lines)
  const armings = withPartitions(book.armings, view, context.now)
  const isSame = isOnlineTold === book.isOnlineTold && lines === book.lines && armings === book.armings
  const before = isSame ? book : { ...book, isOnlineTold, lines, armings }
  const evidence = stateConditions(view, lines)
  return shown(before, 'state', evidence, context, (condition) => stateSpeaksOf(view, condition))
}

/** The alarms that run, or a loss of the contact that is an incident of its own. */
export interface Running {
  readonly alarms: readonly RunningAlarm[]
  /** Milliseconds since 1970 at which the contact was lost; null while there is no such incident. */
  readonly contactLostAt: number | null
  /** False while lists are not read that may show others. */
  readonly areAll: boolean
}

/** Returns the book after what runs was looked at. */
export function withAlarms(
  book: ConditionBook,
  { alarms, contactLostAt, areAll }: Running,
  { now }: ConditionContext,
): ConditionBook {
  const evidence = [...alarmConditions(alarms), ...contactConditions(contactLostAt)]
  const ids = new Set(evidence.map(({ id }) => id))
  const others = areAll ? [] : book.conditions.filter(({ kind, id }) => kind === 'alarm' && !ids.has(id))
  const conditions = withEvidence(book.conditions, 'alarms', [...evidence, ...others], now)
  return conditions === book.conditions ? book : { ...book, conditions }
}

/** Returns the book after something became known about the maintenance, or time has passed. */
export function withFacts(
  book: ConditionBook,
  facts: Partial<MaintenanceFacts>,
  choice: MaintenanceChoice,
  { now }: ConditionContext,
): ConditionBook {
  const next = { ...book.facts, ...facts }
  const known = isDeepStrictEqual(next, book.facts) ? book : { ...book, facts: next }
  const conditions = withEvidence(
    known.conditions,
    'maintenance',
    maintenanceConditions(next, choice, now),
    now,
  )
  return conditions === known.conditions ? known : { ...known, conditions }
}

/**
 * Returns the book after the tests of the alarm chain were looked at.
 * @param speaksOf returns false for a condition of a test of which nothing is known yet
 */
export function withChain(
  book: ConditionBook,
  evidence: readonly Evidence[],
  speaksOf: (condition: PanelCondition) => boolean,
  { now }: ConditionContext,
): ConditionBook {
  const conditions = withEvidence(book.conditions, 'chain', evidence, now, speaksOf)
  return conditions === book.conditions ? book : { ...book, conditions }
}

/** Returns the book after a list: its conditions begin with the events that started them, and end with it. */
function shown(
  book: ConditionBook,
  source: ConditionSource,
  evidence: readonly Evidence[],
  context: ConditionContext,
  speaksOfIt: (condition: PanelCondition) => boolean,
): ConditionBook {
  const starts = new Map(openStarts(book, context).map(({ evidence: start }) => [start.id, start]))
  const dated = evidence.map((one): Evidence => {
    const start = starts.get(one.id)
    if (start === undefined) return one
    return { ...one, since: one.since ?? start.since, eventKey: start.eventKey, what: start.what || one.what }
  })
  const conditions = withEvidence(book.conditions, source, dated, context.now, speaksOfIt)
  if (conditions === book.conditions) return told(book, context)
  const ids = new Set(conditions.map(({ id }) => id))
  const ended = new Set(book.conditions.filter(({ id }) => !ids.has(id)).map(({ id }) => id))
  return told(withoutStarts({ ...book, conditions }, ended, context), context)
}

/** Returns the book after the open starts of conditions that are over were forgotten: the next ones begin anew. */
function withoutStarts(
  book: ConditionBook,
  ended: ReadonlySet<string>,
  context: ConditionContext,
): ConditionBook {
  const keys = openStarts(book, context).flatMap(({ event, evidence }) =>
    ended.has(evidence.id) ? [event.key] : [],
  )
  if (keys.length === 0) return book
  const events = book.events.filter(({ key }) => !keys.includes(key))
  return { ...book, events, over: [...book.over, ...keys].slice(-maxOver) }
}

/** Returns the book without starts that a list of devices should show by now: their ends were never told. */
function withoutUnseen(
  book: ConditionBook,
  evidence: readonly Evidence[],
  listed: ReadonlySet<string>,
  context: ConditionContext,
): ConditionBook {
  const ids = new Set(evidence.map(({ id }) => id))
  const unseen = openStarts(book, context).filter(({ event, evidence: { id, kind } }) => {
    const isListed = hasTrait(kind, 'of devices') && listed.has(placeOf(event.deviceType, event.zone))
    return isListed && !ids.has(id) && context.now - (event.readAt ?? event.time) > maxLag
  })
  return withoutStarts(book, new Set(unseen.map(({ evidence: { id } }) => id)), context)
}

/** Returns the book after what the events tell: only of places that no list decides. */
function told(book: ConditionBook, context: ConditionContext): ConditionBook {
  const { places, begunAt, isOnlineTold } = book
  // Before the first list of devices, an old start may be over long since.
  if (places === null) return book
  const starts = openStarts(book, context)
  const evidence = starts.flatMap(({ event, evidence: one }) => {
    const isListed =
      hasTrait(one.kind, 'of devices') && places.includes(placeOf(event.deviceType, event.zone))
    const isDecided = isListed || (one.kind === 'offline' && isOnlineTold)
    // What became known since the begin is news, whatever the clocks of panel and machine say.
    const isOld = event.isPast && event.time < begunAt - maxAgeAtFirst
    return isDecided || isOld ? [] : [one]
  })
  const keys = new Map(starts.map(({ evidence: { id, eventKey } }) => [id, eventKey]))
  const lacksKey = ({ id, eventKey }: PanelCondition) => eventKey === null && keys.has(id)
  const known = book.conditions.some(lacksKey)
    ? book.conditions.map((one) => (lacksKey(one) ? { ...one, eventKey: keys.get(one.id) ?? null } : one))
    : book.conditions
  const conditions = withEvidence(known, 'events', evidence, context.now)
  return conditions === book.conditions ? book : { ...book, conditions }
}

/** Returns the starts that are open, latest first: the earliest one of a condition counts. */
function openStarts({ events }: ConditionBook, { catalogue, now }: ConditionContext) {
  return pairEvents(events, catalogue, now)
    .filter(({ endedAt }) => endedAt === null)
    .flatMap(({ start }) => {
      const kind = kindOfStart(start, catalogue)
      return kind === undefined ? [] : [{ event: start, evidence: startCondition(start, kind, catalogue) }]
    })
    .reverse()
}

function matters(event: StoryEvent, catalogue: Catalogue): boolean {
  return kindOfStart(event, catalogue) !== undefined || isEnd(event, catalogue)
}

function isEnd(event: StoryEvent, catalogue: Catalogue): boolean {
  const { isRestore, isDisarm, isArm } = roleOf(event, catalogue)
  return isRestore || isDisarm || isArm
}

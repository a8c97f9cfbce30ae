import fc from 'fast-check'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/**
 * The kinds of history by the peculiarity of the event list; `moved` writes all times in another time zone or form,
 * `log` has no ids, equal events, and clock steps.
 */
export const kinds = [
  'plain',
  'twins',
  'late',
  'clock',
  'reset',
  'hiccup',
  'prune',
  'burst',
  'moved',
  'log',
] as const

export type HistoryKind = (typeof kinds)[number]

/** The sort orders of the list. */
export const orders = ['oldest first', 'newest first', 'shuffled'] as const

export type Order = (typeof orders)[number]

/** The events between two polls. */
interface Step {
  /** Seconds before the first event. */
  silence: number
  /** Minutes by which a clock step sets the clock back. */
  stepBack: number
  events: { type: number; zone: number; after: number; isTwin: boolean; polls: number }[]
  /** True if the peculiarity of the kind happens in this step. */
  isOdd: boolean
  salt: number
  /** True if the reader of the list restarts before this poll. */
  isRestart: boolean
}

export interface HistoryPlan {
  kind: HistoryKind
  order: Order
  /** The maximum length of the list. */
  window: number
  /** The number of events before the first poll. */
  past: number
  /** The value of a missing id. */
  noId: 0 | null
  steps: Step[]
}

export interface Poll {
  list: PanelEvent[]
  isRestart: boolean
}

/** The polls of a plan, and the true order of their events. */
export interface History {
  polls: Poll[]
  /** Returns the true position of a listed event. */
  numberOf(event: PanelEvent): number
}

const step: fc.Arbitrary<Step> = fc.record({
  silence: fc.nat(900),
  stepBack: fc.integer({ min: 1, max: 6 }),
  events: fc.array(
    fc.record({
      type: fc.integer({ min: 85, max: 88 }),
      zone: fc.integer({ min: 0, max: 2 }),
      after: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(120)),
      isTwin: fc.boolean(),
      polls: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 4 },
  ),
  isOdd: fc.integer({ min: 0, max: 5 }).map((throwOfDice) => throwOfDice === 0),
  salt: fc.nat(),
  isRestart: fc.boolean(),
})

/** Returns true for kinds whose events can be matched only together with those around them. */
const isCompared = (kind: HistoryKind) => kind === 'moved' || kind === 'log'

/**
 * Returns the minimum length of the first list. Without ids no method can detect the order after the first clock
 * step.
 */
export const minListLength = (kind: HistoryKind) => (isCompared(kind) ? 8 : 0)

/**
 * Returns an arbitrary for plans of a kind.
 * @param least the minimum length of the first list, so that its order can be detected
 */
export function historyPlans(kind: HistoryKind, order: Order, least = 0): fc.Arbitrary<HistoryPlan> {
  // Without ids more than half of the list must be known from the previous poll; otherwise no method can match it.
  const shortest = isCompared(kind) ? 24 : Math.max(4, least)
  return fc.integer({ min: shortest, max: 32 }).chain((window) =>
    fc.record({
      kind: fc.constant(kind),
      order: fc.constant(order),
      window: fc.constant(window),
      past: fc.integer({ min: least, max: window + 5 }),
      noId: fc.constantFrom<0 | null>(0, null),
      steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
    }),
  )
}

interface Happened {
  number: number
  event: PanelEvent
  /** The first poll that lists the event. */
  from: number
}

/** Returns the history of a plan; the same plan results in the same history. */
export function createHistory({ kind, order, window, past, noId, steps }: HistoryPlan): History {
  const numbers = new Map<PanelEvent, number>()
  let kept: Happened[] = []
  let number = 0
  let id = 198_668_000
  let second = Date.UTC(2026, 2, 1, 12) / 1000

  // Coarse times make equal events after a clock step likely; in a shuffled list without ids they cannot be
  // distinguished.
  const canStep = kind === 'clock' || (kind === 'log' && order !== 'shuffled')
  const coarse = (seconds: number, unit = 60) => (canStep ? 60 * Math.floor(seconds / unit) : seconds)

  const happen = (type: number, zone: number, from: number) => {
    number += 1
    id += 1 + (type % 3)
    kept.push({ number, from, event: eventOf(kind === 'log' ? noId : id, type, zone, second) })
  }
  for (let nth = 0; nth < past; nth += 1) {
    second += canStep ? 60 : 1 + (nth % 50)
    happen(85 + (nth % 4), nth % 3, 0)
  }

  let written = (time: string) => time
  const polls = steps.map(({ silence, stepBack, events, isOdd, salt, isRestart }, poll) => {
    second += coarse(silence, 450)
    if (isOdd && canStep) second -= 60 * stepBack
    if (isOdd && kind === 'moved') written = movedBy(salt)
    if (isOdd && kind === 'reset') {
      id = 0
      // After a reset a panel does not reach the same number of events within a second.
      second += 1
    }
    if (isOdd && kind === 'burst') {
      for (let nth = 0; nth <= window + (salt % window); nth += 1) {
        second += nth % 3
        happen(85 + (nth % 4), 0, poll)
      }
    }
    for (const { type, zone, after, isTwin, polls: delay } of events) {
      second += coarse(after)
      happen(type, zone, isOdd && kind === 'late' ? poll + delay : poll)
      if (isTwin && (kind === 'twins' || kind === 'log')) happen(type, zone, poll)
    }
    if (isOdd && kind === 'prune') kept.splice(Math.max(0, kept.length - 1 - (salt % window)), 1 + (salt % 3))

    let shown = kept.filter(({ from }) => from <= poll).slice(-window)
    if (isOdd && kind === 'hiccup') shown = garbled(shown, salt)
    if (order === 'newest first') shown = shown.toReversed()
    if (order === 'shuffled') shown = shuffled(shown, salt)
    // The texts in the user's language differ at every poll.
    const list = shown.map((happened) => {
      const event = {
        ...happened.event,
        datetime: written(happened.event.datetime),
        description: `Text ${poll}`,
        label: `L${poll}`,
        zone_name: `Z${poll}`,
      }
      numbers.set(event, happened.number)
      return event
    })
    kept = kept.slice(-2 * window)
    return { list, isRestart }
  })
  return { polls, numberOf: (event) => numbers.get(event) ?? Number.NaN }
}

/** The errors of a method in a history; all are 0 for a correct method. */
export interface DetectionErrors {
  lost: number
  repeated: number
  /** Polls whose new events were not in order. */
  disordered: number
  /** Polls with an unreported gap, or with a reported gap although the lists overlap. */
  misreported: number
}

/** The result of a correct method. */
export const noErrors: DetectionErrors = { lost: 0, repeated: 0, disordered: 0, misreported: 0 }

/** A method under test: gets each list in turn and returns the new events. */
export type DetectionMethod = (poll: Poll) => { fresh: PanelEvent[]; isGap: boolean }

/** Returns the errors of a method. An event is new in the first list that shows it, except in the very first list. */
export function countErrors({ polls, numberOf }: History, method: DetectionMethod): DetectionErrors {
  const verdict = { ...noErrors }
  const seen = new Set<number>()
  for (const [nth, poll] of polls.entries()) {
    const shown = poll.list.map(numberOf)
    // An event that a faulty list shows twice is one event.
    const isFirst = (event: PanelEvent, at: number) => shown.indexOf(numberOf(event)) === at
    const isNew = (event: PanelEvent, at: number) => !seen.has(numberOf(event)) && isFirst(event, at)
    const expected = nth === 0 ? [] : poll.list.filter(isNew).map(content)
    const { fresh, isGap } = method(poll)
    const given = fresh.map(numberOf)
    for (const event of fresh) {
      const at = expected.indexOf(content(event))
      if (at >= 0) expected.splice(at, 1)
      else verdict.repeated += 1
    }
    verdict.lost += expected.length
    if (given.some((number, at) => number < (given[at - 1] ?? 0))) verdict.disordered += 1
    const isTorn = shown.length > 0 && seen.size > 0 && !shown.some((number) => seen.has(number))
    if (isTorn !== isGap) verdict.misreported += 1
    for (const number of shown) seen.add(number)
  }
  return verdict
}

/** Returns true for events with equal content, which are interchangeable. */
export function content({ event, type_id, zone, datetime }: PanelEvent): string {
  return `${event} ${type_id} ${zone} ${datetime}`
}

/** Returns a faulty list: empty, the newer or older half, every other entry, or some entries twice. */
function garbled<T>(list: T[], salt: number): T[] {
  const middle = Math.ceil(list.length / 2)
  const wrong = [
    [],
    list.slice(middle),
    list.slice(0, middle),
    list.filter((_, at) => at % 2 === 0),
    [...list.slice(0, middle + 1), ...list.slice(middle)],
    [...list, ...list.slice(-1)],
  ]
  return wrong[salt % wrong.length] ?? []
}

/** A way to write times: in another time zone, or with another letter in between. */
function movedBy(salt: number): (time: string) => string {
  const minutes = [60, -60, 120, 345, -210, 0][salt % 6] ?? 0
  const between = salt % 4 === 0 ? 'T' : ' '
  return (time) =>
    new Date(Date.parse(`${time}Z`) + 60_000 * minutes).toISOString().slice(0, 19).replace('T', between)
}

function shuffled<T>(list: T[], salt: number): T[] {
  let state = salt
  return list
    .map((item) => {
      state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
      return { item, rank: state ^ (state >>> 13) }
    })
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

function eventOf(id: number | null, type: number, zone: number, second: number): PanelEvent {
  return {
    event: id,
    type_id: type,
    label: '',
    description: '',
    appointment: `User ${zone}`,
    datetime: new Date(second * 1000).toISOString().slice(0, 19).replace('T', ' '),
    video: false,
    device_type: zone === 0 ? 'CONTROL_PANEL' : 'USER',
    zone,
    zone_name: '',
    partitions: [1],
  }
}

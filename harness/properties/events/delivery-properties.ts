import assert from 'node:assert/strict'
import fc from 'fast-check'
import { EventDelivery } from '../../../src/panel/events/event-delivery.ts'
import { lastingLease } from '../../../src/panel/lease.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'
import { FakeClock } from '../../clock/fake-clock.ts'
import { serial } from './detection-methods.ts'
import {
  content,
  createHistory,
  type HistoryKind,
  type HistoryPlan,
  historyPlans,
  kinds,
  minListLength,
  orders,
} from './event-histories.ts'
import { KilledCursor } from './killed-cursor.ts'

/** Kinds whose data tell which of two events is older. */
const dated: readonly HistoryKind[] = ['plain', 'twins', 'late', 'prune', 'burst']

const steady: readonly HistoryKind[] = ['plain', 'twins', 'clock', 'reset']

/** Kinds in which events leave the list before older ones do. */
const leaving: readonly HistoryKind[] = ['late', 'hiccup', 'prune']

const ends = ['goes on', 'restart', 'killed before the send', 'killed after the send'] as const

/** The events at one poll besides those of the plan. */
interface Turn {
  /** True for each node that is there. */
  isPresent: boolean[]
  end: (typeof ends)[number]
}

/** The first list of each process. */
type FirstList = 'all' | 'nothing' | 'the newest' | 'the older half'

interface Life {
  plan: HistoryPlan
  isKilled: boolean
  turns: Turn[]
  firstList: FirstList
}

const turns = (count: number, possible: readonly Turn['end'][]): fc.Arbitrary<Turn[]> => {
  const turn = fc.record({
    isPresent: fc.tuple(fc.boolean(), fc.boolean()).map(([one, other]) => [true, one, other]),
    end: fc.oneof({ weight: 4, arbitrary: fc.constant('goes on' as const) }, fc.constantFrom(...possible)),
  })
  return fc.array(turn, { minLength: count, maxLength: count, size: 'max' })
}

/** A list without ids that is not mostly known is beyond any method, so it is always shown whole. */
function lives(kind: HistoryKind): fc.Arbitrary<Life> {
  return (
    fc
      .constantFrom(...orders)
      .chain((order) => historyPlans(kind, order, minListLength(kind)))
      // Without ids, two polls after a kill may bring more than half of a list.
      .chain((plan) => fc.tuple(fc.constant(plan), kind === 'log' ? fc.constant(false) : fc.boolean()))
      .chain(([plan, isKilled]) =>
        fc.record({
          plan: fc.constant(plan),
          isKilled: fc.constant(isKilled),
          turns: turns(plan.steps.length, isKilled ? ends : ['goes on', 'restart']),
          firstList:
            kind === 'log'
              ? fc.constant<FirstList>('all')
              : fc.constantFrom<FirstList>('all', 'nothing', 'the newest', 'the older half'),
        }),
      )
  )
}

/** The events of a life, in groups that nothing tells apart: equal ones in lists without an order; else each is alone. */
class EventGroups {
  readonly #groups = new Map<string, Set<number>>()
  readonly #byNumber = new Map<number, ReadonlySet<number>>()

  add(number: number, event: PanelEvent, { order }: HistoryPlan): void {
    const key = order === 'shuffled' ? content(event) : `${number}`
    const group = this.#groups.get(key) ?? new Set()
    this.#groups.set(key, group.add(number))
    this.#byNumber.set(number, group)
  }

  /** Returns the numbers of an event and of those equal to it. */
  of(number: number): ReadonlySet<number> {
    return this.#byNumber.get(number) ?? new Set()
  }
}

/** Counts things by a key. */
class Counts<K> extends Map<K, number> {
  count(key: K): number {
    return this.get(key) ?? 0
  }

  add(key: K): void {
    this.set(key, this.count(key) + 1)
  }
}

/** The events that one node was given, and those that it should have been given. */
class Listener {
  readonly given: { number: number; redelivered: boolean }[] = []
  /** Numbers of the newest event of the node's first list, and of all lists up to then; undefined before them. */
  firstRun: { listed: number; known: number } | undefined
  gaps = 0
  /** True if it was given the event that ends each life. */
  wasGivenLast = false
  leave = () => {}

  /** Returns the events after the first run that lists showed and that the node was not given. */
  missed(groups: EventGroups, shown: ReadonlySet<number>): number[] {
    const known = this.firstRun?.known ?? Number.POSITIVE_INFINITY
    const owed = [...shown].filter((number) => number > known)
    const [due, given] = [new Counts<ReadonlySet<number>>(), new Counts<ReadonlySet<number>>()]
    for (const number of owed) due.add(groups.of(number))
    for (const { number } of this.given) given.add(groups.of(number))
    return owed.filter((number) => given.count(groups.of(number)) < due.count(groups.of(number)))
  }

  /** Returns the events that the node was given again without a flag. */
  repeated(groups: EventGroups): number[] {
    const given = new Counts<ReadonlySet<number>>()
    return this.given.flatMap(({ number, redelivered }) => {
      const group = groups.of(number)
      const isRepeated = !redelivered && given.count(group) >= group.size
      // Nothing tells which of several equal events one with a flag repeats.
      if (!redelivered || group.size === 1) given.add(group)
      return isRepeated ? [number] : []
    })
  }
}

/** An event that is younger than all others. */
function lastEvent({ kind, noId }: HistoryPlan, list: readonly PanelEvent[]): PanelEvent {
  const highest = Math.max(300_000_000, ...list.map(({ event }) => event ?? 0))
  return {
    ...{ event: kind === 'log' ? noId : highest + 1, type_id: 85, zone: 1, datetime: '2027-01-01 00:00:00' },
    ...{ label: '', description: 'the last', appointment: '', video: false, device_type: '', zone_name: '' },
    partitions: [],
  }
}

/** Lets what is under way go as far as it goes by itself. */
async function rest(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate)
}

/** Lives a life with three nodes and returns them; all lists are checked on the way. */
async function live({
  plan,
  turns,
  firstList,
}: Life): Promise<{ nodes: Listener[]; groups: EventGroups; shown: Set<number> }> {
  const { polls, numberOf } = createHistory(plan)
  const clock = new FakeClock()
  const nodes = [new Listener(), new Listener(), new Listener()]
  const shown = new Set<number>()
  const groups = new EventGroups()
  let cursor = new KilledCursor('')
  let delivery: EventDelivery<null> | undefined
  let current: readonly PanelEvent[] = []

  const enter = (node: Listener, id: number) => {
    node.leave = delivery?.subscribe(`node ${id}`, {
      policy: { first: 'skip', missed: 'deliver' },
      events: (deliveries) => {
        for (const { event, redelivered } of deliveries) {
          if (event.description === 'the last') node.wasGivenLast = true
          else node.given.push({ number: numberOf(event), redelivered })
        }
      },
      gap: () => {
        node.gaps += 1
      },
    }) as () => void
  }
  const start = () => {
    cursor = new KilledCursor(cursor.text)
    delivery = new EventDelivery<null>(serial, { lease: lastingLease, cursor }, clock, {
      outage: () => {},
      recovery: () => {},
      notice: () => {},
    })
  }
  const show = async (
    list: readonly PanelEvent[],
    isPresent: readonly boolean[],
    end: Turn['end'],
    survived = 0,
  ) => {
    current = list
    for (const event of list) {
      if (event.description === 'the last') continue
      shown.add(numberOf(event))
      groups.add(numberOf(event), event, plan)
    }
    if (delivery === undefined) start()
    for (const [id, node] of nodes.entries()) {
      node.leave()
      if (isPresent[id]) enter(node, id)
      if (isPresent[id] && list.length > 0)
        node.firstRun ??= { listed: Math.max(...list.map(numberOf)), known: Math.max(...shown) }
    }
    let intents = 0
    cursor.isKilledAt = (step, write) => {
      if (step !== 'after' || write !== 'intend') return false
      intents += 1
      return end === 'killed before the send' && intents > survived
    }
    let isAccepted = false
    void delivery?.accept(list, null).then(() => {
      isAccepted = true
    })
    await rest()
    // A list in portions waits for the clock after each of them.
    while (!isAccepted && !cursor.isDead) {
      clock.advance(100)
      await rest()
    }
    if (end === 'goes on' || (end === 'killed before the send' && !cursor.isDead)) {
      clock.advance(500)
      await rest()
      // Messages get off the wires.
      for (let turns = 0; turns < 25; turns += 1) await new Promise(setImmediate)
    }
    if (end === 'restart') await delivery?.close()
    if (end !== 'goes on') delivery = undefined
  }

  let isFirst = true
  for (const [nth, { list }] of polls.entries()) {
    const { isPresent, end } = turns[nth] as Turn
    const sorted = list.toSorted((one, other) => numberOf(one) - numberOf(other))
    if (isFirst && firstList !== 'all') {
      const thin = { nothing: 0, 'the newest': 1, 'the older half': Math.ceil(list.length / 2) }[firstList]
      const kept = new Set(firstList === 'the newest' ? sorted.slice(-thin) : sorted.slice(0, thin))
      await show(
        list.filter((event) => kept.has(event)),
        isPresent,
        'goes on',
      )
    }
    await show(list, isPresent, end, nth % 4)
    isFirst = end !== 'goes on'
  }
  // All nodes are there in the end, when one more event happens.
  const old = nodes.filter(({ firstRun }) => firstRun !== undefined)
  const last = lastEvent(plan, current)
  const whole = plan.order === 'newest first' ? [last, ...current] : [...current, last]
  for (const _poll of [1, 2]) await show(whole, [true, true, true], 'goes on')
  assert.ok(old.every(({ wasGivenLast }) => wasGivenLast))
  return { nodes, groups, shown }
}

/**
 * Adds tests of the promises of an event delivery with which another process may go on, so that long lists are sent in
 * portions: each of them over `numRuns` random lives of each kind. The simulation lives with one that is alone.
 */
export function testSharedDelivery(numRuns: number): void {
  for (const kind of kinds) {
    // An event that was in flight at a kill is known by its key, and the text of its time is a part of the key.
    if (kind === 'moved') continue
    it(`gives each node every event once or tells it a gap, whatever happens to list, nodes and process: ${kind}`, async () => {
      const property = fc.asyncProperty(lives(kind), async (life) => {
        const { nodes, groups, shown } = await live(life)
        for (const node of nodes) {
          const missed = node.missed(groups, shown)
          // Nothing tells an event that leaves the list out of turn, before a kill is over, from one that is not shown.
          const isKnown = !leaving.includes(kind) || !life.isKilled
          assert.ok(!isKnown || missed.length === 0 || node.gaps > 0, `missed ${missed}`)
          // Where lists show what they should and never lose all their entries at once, only what is missed is a gap.
          const isSteady = steady.includes(kind) && life.plan.window > 16 && life.firstList === 'all'
          const wasMissed = missed.length > 0 || node.given.some(({ redelivered }) => redelivered)
          assert.ok(!isSteady || node.gaps === 0 || wasMissed, 'a gap without a missed event')
          assert.deepEqual(node.repeated(groups), [], 'repeated')
          for (const { number, redelivered } of node.given) {
            // What was on its way at a kill is given to all nodes. Behind a gap, and in a list that does not reach
            // to the newest event of the first run, nothing tells what is old.
            const isOld = number < (node.firstRun?.listed ?? 0) && !redelivered && node.gaps === 0
            assert.ok(!isOld || !dated.includes(kind) || life.firstList === 'the older half', `old ${number}`)
          }
        }
      })
      await fc.assert(property, { numRuns })
    })
  }
}

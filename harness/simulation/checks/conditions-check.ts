import { hour, minute, second } from '../../../src/duration.ts'
import type { FlowMessage } from '../../recorder.ts'
import type { Source } from '../blind-times.ts'
import { people } from '../life.ts'
import { conditionName } from '../world/world-facts.ts'
import type { ArrivedEvent } from '../world/world-record.ts'
import type { InstanceSurroundings, NodeCheck } from './check.ts'
import { type Claim, Claims } from './claims.ts'

/** The source of each kind of condition of which the world knows if it holds. */
const sources: Readonly<Record<string, Source>> = {
  offline: 'state',
  tamper: 'devices',
  lost: 'devices',
  trouble: 'events',
  battery: 'devices',
  memory: 'devices',
  open: 'devices',
  bypassed: 'devices',
  soak: 'devices',
}

/** The type of the event with which a panel reports wrong codes. */
const wrongCodes = 105

/** A condition in the list. */
interface ToldCondition {
  text: string
  kind: string
  zone: number | null
  name: string
  since: string
  eventKey?: string | null
}

/** The first time that a condition was told. */
interface FirstTelling {
  /** The moment; infinity once it was told again. */
  readonly at: number
  /** The time by the clock of the machine: milliseconds since 1970. */
  readonly machineTime: number
  /** Its words, if others make it another one. */
  readonly says: string
}

/**
 * The list has each condition that has held for two polls, and none that was over two polls ago. Its begin never moves
 * while it holds, unless the clock of the machine was set. The list is never empty during an alarm.
 */
export class ConditionsCheck implements NodeCheck {
  readonly #of: InstanceSurroundings
  readonly #claims: Claims
  #told: ReadonlyMap<string, ToldCondition> = new Map()
  #hasBegun = false
  /** The latest start at which the node had forgotten something. */
  #forgottenAt = Number.NEGATIVE_INFINITY
  /**
   * True from such a start until the panel has been online for two lists of devices: without notes, and while no list counts,
   * nodes cannot know what the devices have.
   */
  #isUnread = false
  /** The moment at which each condition was told as over last. */
  readonly #endedAt = new Map<string, number>()
  /** The conditions that were told as over before such a start and still last by the notes: until then, nodes cannot know better. */
  readonly #isNoted = new Set<string>()
  /** The begin of each condition as it was told first, and the moment. */
  readonly #begins = new Map<string, { since: string; at: number }>()
  /** The times at which the conditions of the list were told first, and not again since. */
  readonly #unreminded = new Map<string, FirstTelling>()
  /** Those of them that a start may have forgotten, with their begins; empty after the next message. */
  readonly #unread = new Map<string, FirstTelling & { since: string | undefined }>()

  constructor(of: InstanceSurroundings) {
    this.#of = of
    this.#claims = new Claims(of, 'conditions')
  }

  /** Notes that the node has read everything: without a message, the list is empty. */
  begin(): void {
    this.#hasBegun = true
  }

  /** Notes that what the node has told from a moment on was not written, and is forgotten. */
  forget(from: number, now: number): void {
    this.#forgottenAt = now
    this.#isUnread = true
    // The minutes of a window begin anew, and the devices are read anew.
    for (const [name, at] of this.#endedAt) {
      if (at < from) continue
      this.#isNoted.add(name)
      this.#claims.withdraw(factOf(name))
    }
    for (const [name, { kind }] of this.#told)
      if (this.#delayOf(kind) > 0 || sources[kind] === 'devices') this.#claims.withdraw(factOf(name))
    for (const [name, first] of this.#unreminded)
      if (first.at >= from) this.#unread.set(name, { ...first, since: this.#told.get(name)?.since })
    for (const notes of [this.#begins, this.#unreminded])
      for (const [name, { at }] of notes) if (at >= from) notes.delete(name)
  }

  hear({ payload, isAnswer, reminder, fetchedAt }: FlowMessage, now: number): void {
    // That of the alarm chain has a check of its own.
    const all = (payload as ToldCondition[]).filter(({ kind }) => kind !== 'chain')
    // An arming that has failed is a trouble with the name of its person.
    const list = all.filter(
      (one) => !people.some((person) => person === one.name) && !this.#isOfWrongCodes(one, now),
    )
    const told = new Map(list.map((one) => [conditionName(one.kind, one.zone, one.name), one]))
    for (const [name, { kind }] of [...this.#told, ...told]) {
      const source = sources[kind]
      if (source === undefined) continue
      this.#claims.tell(claim(name, source), told.has(name), now)
      // That none is open is no claim about one that has been open for less than the delay.
      const isHeldBack = this.#delayOf(kind) > 0 || (this.#isUnread && source === 'devices')
      if (told.has(name) ? this.#isNoted.has(name) : isHeldBack) this.#claims.withdraw(factOf(name))
    }
    for (const name of this.#told.keys()) if (!told.has(name)) this.#endedAt.set(name, now)
    this.#told = told
    if (isAnswer) return
    const machineTime = Date.parse(fetchedAt)
    const period = (this.#of.house.remindAfter - 1) * minute
    for (const [name, condition] of told) {
      this.#checkBegin(name, condition.since, now)
      const says = wordsOf(condition)
      const unread = this.#unread.get(name)
      // A deploy can leave the node running, or the notes were written nevertheless: it knows the same begin then.
      const isRemembered = unread?.since === condition.since
      const known = this.#unreminded.get(name) ?? (isRemembered ? unread : undefined)
      // A bypass that the panel has set, or that the disarm did not end, is told anew.
      const first = known?.says === says ? known : { at: now, machineTime, says }
      // What comes when a reminder is due reminds, too, also because the clock was put forward.
      const isDue =
        now - Math.max(first.at, this.#of.clockSetAt(now)) >= period ||
        machineTime - first.machineTime >= period
      const reminded = { at: Number.POSITIVE_INFINITY, machineTime: Number.POSITIVE_INFINITY, says }
      this.#unreminded.set(name, reminder || isDue ? reminded : first)
    }
    this.#unread.clear()
    for (const name of this.#unreminded.keys()) if (!told.has(name)) this.#unreminded.delete(name)
  }

  compare(now: number): void {
    const { blind, house, report, world } = this.#of
    this.#claims.compare(now)
    // In this time nodes read two lists of devices.
    const since = now - 2 * this.#of.blind.pollEvery.devices - 20 * second
    if (this.#forgottenAt < since && world.facts.stayed('online', 'true', since, now)) this.#readAll(now)
    if (this.#hasBegun) for (const fact of world.facts.names) this.#checkMissing(fact, now)
    const latest = blind.earliest('devices', now, 1) - house.remindAfter * minute
    for (const [name, { at }] of this.#unreminded)
      if (Math.max(at, this.#of.clockSetAt(now)) < latest)
        report(`reminder ${name}`, `conditions: nothing reminds of ${name}`)
  }

  /** Notes that the node has read the devices since it has forgotten something. */
  #readAll(now: number): void {
    this.#isUnread = false
    for (const name of this.#isNoted) {
      const source = sources[this.#told.get(name)?.kind ?? '']
      if (source !== undefined) this.#claims.tell(claim(name, source), true, now)
    }
    this.#isNoted.clear()
  }

  /** Several instances that have the same wrong code send it often enough for the panel to report it, which is told for an hour. */
  #isOfWrongCodes({ kind, zone, eventKey }: ToldCondition, now: number): boolean {
    const { facts, events } = this.#of.world
    if (kind !== 'trouble' || zone !== 0 || facts.was('condition trouble 0', 'true', now, now)) return false
    const isReport = ({ type_id, event }: ArrivedEvent['event']) =>
      type_id === wrongCodes && eventKey?.includes(`-${event}-${wrongCodes}-`)
    return events.some(({ event, at }) => now - at < hour && isReport(event))
  }

  #checkMissing(fact: string, now: number): void {
    const kind = fact === 'online' ? 'offline' : (/^condition (\w+)/.exec(fact)?.[1] ?? '')
    const source = sources[kind]
    const name = fact === 'online' ? 'condition offline' : fact
    if (source === undefined || this.#told.has(name) || (this.#isUnread && source === 'devices')) return
    const { blind, world, report } = this.#of
    if (blind.isWrong(source, now, now)) return
    const delay = this.#delayOf(kind)
    // The minutes of a window begin when it is seen.
    const earliest = Math.min(blind.earliest(source, now, 2) - delay, blind.earliest(source, now - delay, 2))
    // The minutes of a window begin anew when the clock is set, or the node forgets it.
    if (delay > 0 && Math.max(this.#of.clockSetAt(now), this.#forgottenAt) > earliest) return
    if (world.facts.stayed(fact, holding(fact), earliest, now))
      report(
        `missing ${name}`,
        `conditions: ${name} is not told, and holds for ${Math.round((now - earliest) / 1000)} s`,
      )
  }

  #delayOf(kind: string): number {
    return kind === 'open' ? this.#of.house.openAfter * minute : 0
  }

  #checkBegin(name: string, since: string, now: number): void {
    const known = this.#begins.get(name)
    const { blind, report, world } = this.#of
    const fact = factOf(name)
    const wasWrong = known !== undefined && blind.isWrong('devices', known.at, now)
    if (known === undefined || wasWrong || !world.facts.stayed(fact, holding(fact), known.at, now))
      this.#begins.set(name, { since, at: now })
    else if (known.since !== since && this.#of.clockSetAt(now) < known.at - 10 * minute)
      report(`since ${name}`, `conditions: ${name} began at ${known.since}, and is told since ${since}`)
  }
}

function factOf(name: string): string {
  return name === 'condition offline' ? 'online' : name
}

/** Returns the words of a bypass, without its times; no words of other conditions, which can name further details. */
function wordsOf({ kind, text }: ToldCondition): string {
  return kind === 'bypassed' ? text.replace(/ since [^:.]*? [AP]M/, '') : ''
}

/** Returns the value of a fact while its condition holds. */
function holding(fact: string): string {
  return fact === 'online' ? 'false' : 'true'
}

function claim(name: string, source: Source): Claim {
  const fact = factOf(name)
  return { fact, source, wordOf: (value) => value === holding(fact) }
}

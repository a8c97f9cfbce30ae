import { hour, minute, second } from '../../../src/duration.ts'
import type { FlowMessage } from '../../recorder.ts'
import { reportsArmings } from '../life.ts'
import { isShownTwice, isTimeOf } from '../world/repeated-hour.ts'
import { type Alarm, maxContinuation, timeOf } from '../world/world-record.ts'
import type { NodeCheck, Surroundings } from './check.ts'
import { NewsCheck } from './news-check.ts'

/** The kinds of incidents by the type of their alarms, the most serious first. */
const kinds: readonly (readonly [kind: string, types: readonly number[]])[] = [
  ['fire', [36]],
  ['gas', [77]],
  ['panic', [13]],
  ['medical', [39]],
  ['burglary', [1, 2, 3, 4, 6, 134]],
  ['flood', [81]],
  ['tamper', [8]],
]

/** The type of the event for a code that was entered under threat. */
const duressType = 15

/** The entries of a timeline from which repetitions are left out. */
const maxTimeline = 100

/** Milliseconds for which a further alarm of a zone that was told can wait for the end of the incident; it then waits for the next state. */
const quietWait = 20 * second

const isArmed = (value: string) => value === 'AWAY' || value === 'HOME'

/** Milliseconds within which an alarm of an armed house is told at the panel's own pace: 20 of the list, and two looks of ten seconds. */
const alarmBound = 40 * second

/** Milliseconds in which two lists after a start tell that an alarm is over. */
const endingTime = 2 * minute

/** The latest message about an incident. */
interface ToldIncident {
  /** The moment of the message. */
  at: number
  /** True if the node could not note it, and has started anew. */
  isForgotten: boolean
  /** The moment until which it may be told as open although it is over: an old event, or old notes, have opened it again. */
  openUntil: number
  status: string
  alarms: readonly Alarm[]
  /** False if no event has told its alarms yet. */
  isConfirmed: boolean
  /** The numbers of its zones. */
  zones: readonly number[]
  /** The length of its timeline. */
  entries: number
  /** All that a phone shows. */
  shown: string
  hasThreat: boolean
}

/**
 * Each alarm is told within two polls after its event has arrived, later if only its zone is told again, or soon if the list shows it without an event. An incident is closed only if all of its alarms are over,
 * and open only if one of them was not over two polls ago. One that is over is not continued by a later alarm. No message
 * is sent without a change, and none has a word for a threat.
 */
export class IncidentsCheck implements NodeCheck {
  readonly #of: Surroundings
  readonly #news: NewsCheck
  readonly #told = new Map<string, ToldIncident>()
  #begunAt = Number.POSITIVE_INFINITY
  #now = Number.NEGATIVE_INFINITY

  constructor(of: Surroundings) {
    this.#of = of
    this.#news = new NewsCheck(of)
  }

  /** Notes that the node has read its first list: what was over then is no news. */
  begin(now: number): void {
    this.#begunAt = Math.min(this.#begunAt, now)
  }

  /** Notes that what the node has told from a moment on was not written, and is forgotten. */
  forget(from: number): void {
    for (const told of this.#told.values()) if (told.at >= from) told.isForgotten = true
  }

  /** Notes that the node has lost its position, and what a list has until a moment is no news. */
  losePosition(until: number): void {
    this.forget(Number.NEGATIVE_INFINITY)
    this.#begunAt = until
  }

  hear(message: FlowMessage, now: number): void {
    this.#now = now
    const { payload, redelivered, isAnswer } = message
    // The answer of a node that knows no incident.
    if (payload?.id === undefined) return
    const { id, status, confirmed, timeline, kind, zones, duress } = payload
    const told = this.#told.get(id)
    const before = told?.isForgotten ? undefined : told
    const reported: Alarm[] = timeline.flatMap((entry: FlowMessage) => this.#alarmOf(entry) ?? [])
    const alarms = [...reported, ...this.#signsOf(message, told, reported)]
    const shown = JSON.stringify([payload.title, payload.summary, status, timeline])
    // What only an answer has told is still told as news.
    if (!isAnswer) {
      const numbers = zones.map(({ zone }: Alarm) => zone)
      this.#told.set(id, {
        at: now,
        isForgotten: false,
        openUntil: told?.isForgotten ? now + endingTime : Number.NEGATIVE_INFINITY,
        entries: timeline.length,
        status,
        alarms,
        isConfirmed: confirmed,
        zones: numbers,
        shown,
        hasThreat: duress,
      })
    }
    if (before?.shown === shown && !redelivered && !isAnswer)
      this.#report(id, 'same', `is told twice in the same words: ${payload.summary}`)
    this.#news.noteContact(message, now)
    if (this.#isWrong(now, now)) return
    // What is forgotten may have been noted nevertheless, or a part of it.
    this.#news.hear(message, before, alarms, told?.zones)
    if (kind === 'duress' || kind === 'contact') return
    this.#checkClosed(id, status, alarms)
    this.#checkContinued(id, before, alarms, now)
    const kindOfAlarms = kinds.find(([, types]) => alarms.some(({ typeId }: Alarm) => types.includes(typeId)))
    if (kindOfAlarms !== undefined && kindOfAlarms[0] !== kind)
      this.#report(id, 'kind', `is told as ${kind}, and is ${kindOfAlarms[0]}`)
    for (const { zone, name } of alarms)
      if (!zones.some((told: Alarm) => told.zone === zone)) this.#report(id, 'zone', `does not name ${name}`)
  }

  compare(now: number): void {
    if (this.#isWrong(now, now)) return
    this.#news.compare(now)
    const { blind, world } = this.#of
    const sources = ['state', 'alarms', 'events'] as const
    const earliest = Math.min(...sources.map((source) => blind.earliest(source, now, 2)))
    for (const [id, told] of this.#told) {
      const { status, alarms, hasThreat, isForgotten, openUntil } = told
      // Only time ends a threat.
      if (hasThreat || isForgotten || now < openUntil) continue
      const isOver =
        alarms.length > 0 && this.#withRepeats(told).every(({ to }) => to !== null && to < earliest)
      if (status !== 'closed' && isOver)
        this.#report(
          id,
          'open',
          `(${namesOf(alarms)}) is told as ${status}, and is over for ${since(alarms, now)}`,
        )
    }
    const { hasFixedIntervals, hasAlarmList } = this.#of.house
    this.#compareWithList(blind.earliest(hasAlarmList ? 'state' : 'events', now, 2) - 2 * minute, now)
    if (hasAlarmList && !hasFixedIntervals) this.#compareAtOnce(now)
    const latest = blind.earliest('events', now, 1)
    for (const alarm of world.alarms) {
      if (alarm.from <= this.#begunAt) continue
      const arrivedAt = world.arrivalOf(alarm)
      const isOfTold = [...this.#told.values()].some(({ zones }) => zones.includes(alarm.zone))
      if (arrivedAt !== undefined && this.#isWrong(alarm.from, arrivedAt)) continue
      if (
        arrivedAt === undefined ||
        arrivedAt >= latest - (isOfTold ? quietWait + this.#of.blind.pollEvery.state : 0)
      )
        continue
      // A very long incident leaves out repetitions of a zone.
      const isRepetition = (other: Alarm) => other.zone === alarm.zone && other.typeId === alarm.typeId
      const isTold = [...this.#told.values()].some(
        ({ alarms, entries }) =>
          alarms.some((one) => isAlike(one, alarm)) || (entries > maxTimeline && alarms.some(isRepetition)),
      )
      if (!isTold)
        this.#of.report(
          `alarm ${alarm.time} ${alarm.name}`,
          `incident: the alarm ${nameOf(alarm)} is in no message`,
        )
    }
    for (const { event, at } of world.events) {
      if (this.#isWrong(at, at) || event.type_id !== duressType || at <= this.#begunAt || at >= latest)
        continue
      if (![...this.#told.values()].some(({ hasThreat }) => hasThreat))
        this.#of.report(`duress ${event.event}`, 'incident: no message has the threat in payload.duress')
    }
  }

  /** Returns the alarms of an incident; of one without events with those of its zones that began soon after, as lists show the zone alone. */
  #withRepeats({ alarms, isConfirmed }: ToldIncident): readonly Alarm[] {
    if (isConfirmed) return alarms
    return this.#of.world.alarms.filter((alarm) =>
      alarms.some(
        ({ zone, to }) => zone === alarm.zone && alarm.from - (to ?? alarm.from) <= maxContinuation,
      ),
    )
  }

  /** Returns true if lists showed what was not true at some moment between two, or shortly before. */
  #isWrong(from: number, to: number): boolean {
    const { blind } = this.#of
    return blind.isWrong('alarms', from, to) || blind.isWrong('events', from, to)
  }

  /** Reports an alarm that the list has shown as active for long and no message tells, also if no event reports it. */
  #compareWithList(latest: number, now: number): void {
    for (const alarm of this.#of.world.alarms) {
      const { list, from, to, partitions, time, name } = alarm
      if (list !== 'alarms' || to !== null || from <= this.#begunAt || from >= latest) continue
      // The list of a panel that is out of reach says nothing.
      if (!this.#of.world.facts.stayed('online', 'true', from, now)) continue
      if (!this.#isOpenIn(partitions))
        this.#of.report(`listed ${time} ${name}`, `incident: the listed alarm ${nameOf(alarm)} is not told`)
    }
  }

  /** Reports a new alarm of an armed house that no message has told within its bound. */
  #compareAtOnce(now: number): void {
    const { world, blind } = this.#of
    const told = [...this.#told.values()].flatMap(({ alarms }) => alarms)
    for (const alarm of world.alarms) {
      const { list, from, to, partitions } = alarm
      // One that is over sooner need not be seen.
      if (to !== null && to < from + alarmBound) continue
      const isDue = from > this.#begunAt && from < now - alarmBound && from > now - alarmBound - minute
      if (list !== 'alarms' || !isDue || told.some((one) => one.zone === alarm.zone)) continue
      // The event of a further alarm can come minutes later.
      if (this.#isOpenIn(partitions)) continue
      const armedAt = world.actions.findLast(
        ({ at, value, partition }) => at < from && value !== 'DISARM' && partitions.includes(partition),
      )?.at
      // A panel that had nothing but its mobile line when it was armed is read each minute.
      const isWatched =
        armedAt !== undefined &&
        partitions.some((id) => world.facts.values(`partition ${id} armed`, from, from).some(isArmed)) &&
        world.facts.stayed('broadband', 'true', armedAt - minute, armedAt)
      const isKnown = (['state', 'alarms', 'events'] as const).every((source) =>
        blind.isCertain(source, from - minute, now),
      )
      if (isWatched && isKnown && world.facts.stayed('online', 'true', from - minute, now))
        this.#of.report(
          `late alarm ${alarm.time} ${alarm.name}`,
          `incident: the alarm ${nameOf(alarm)} is not told within ${alarmBound / second} seconds`,
        )
    }
  }

  /** Returns true if an incident with an alarm of one of these partitions is told, and not as closed. */
  #isOpenIn(partitions: Alarm['partitions']): boolean {
    return [...this.#told.values()].some(
      ({ status, alarms }) =>
        status !== 'closed' && alarms.some((told) => told.partitions.some((id) => partitions.includes(id))),
    )
  }

  /** Returns the alarms that zones without an event can mean; those of before, if they were told without an event. */
  #signsOf(
    { payload }: FlowMessage,
    before: ToldIncident | undefined,
    reported: readonly Alarm[],
  ): readonly Alarm[] {
    const { id, confirmed, status } = payload
    const isReported = ({ zone }: Alarm) => reported.some((alarm) => alarm.zone === zone)
    const zones = payload.zones.filter((zone: Alarm) => !isReported(zone))
    const { blind, world } = this.#of
    const earliest = blind.earliest('state', this.#now, 2)
    const known = before?.alarms ?? []
    const found: Alarm[] = zones.flatMap(({ zone, name }: Alarm) => {
      // The list shows no opened case, which the same zone can have too.
      const isMeant = (alarm: Alarm) => alarm.zone === zone && alarm.list === 'alarms'
      const running = world.alarms.filter(
        (alarm) => isMeant(alarm) && (alarm.to === null || alarm.to >= earliest),
      )
      const alarm = known.find(isMeant) ?? running.at(-1)
      // A long timeline leaves out the event of a zone.
      if (alarm === undefined && !confirmed && !this.#isWrong(this.#now, this.#now))
        this.#report(id, 'sign', `tells an alarm of ${name}, and there is none`)
      return alarm ?? []
    })
    if (zones.length === 0 && !confirmed && status !== 'closed' && payload.kind !== 'contact')
      this.#report(id, 'zone', 'tells no zone, and the list does')
    return found
  }

  #checkClosed(id: string, status: string, alarms: readonly Alarm[]): void {
    const { blind, house, world } = this.#of
    // If no event tells the arming, only the next state shows that a restore does not end the alarm.
    const latest = reportsArmings(house) ? this.#now : blind.earliest('state', this.#now, 1)
    // One that is read as an hour later, as the clocks show both times twice, is over by a further one of its zone, which seems to be before it.
    const isReplaced = ({ zone, from, time }: Alarm) =>
      isShownTwice(time, house) &&
      world.alarms.some((one) => one.zone === zone && one.from > from && isShownTwice(one.time, house))
    const active = alarms.filter(
      (alarm) => alarm.from <= latest && !world.isOver(alarm, this.#now) && !isReplaced(alarm),
    )
    if (status === 'closed' && active.length > 0)
      this.#report(id, 'closed', `is told as closed while the alarm of ${namesOf(active)} lasts`)
  }

  /** One that was closed takes in no alarm that began long after all of its own were over. */
  #checkContinued(id: string, before: ToldIncident | undefined, alarms: readonly Alarm[], now: number): void {
    if (before?.status !== 'closed' || before.alarms.length === 0) return
    const over = Math.max(...before.alarms.map(({ to }) => to ?? now))
    const { blind } = this.#of
    for (const alarm of alarms) {
      // Nodes learn of the end a poll later.
      const within = maxContinuation + minute
      const earliest = Math.min(blind.earliest('events', alarm.from, 1), alarm.from - within)
      const isNew = !before.alarms.includes(alarm) && earliest > over
      if (isNew && !this.#isWrong(over, now) && !blind.isBlind('events', over, now))
        this.#report(id, 'continued', `was over, and takes in the later alarm ${nameOf(alarm)}`)
    }
  }

  /** Returns the alarm of an entry of a timeline; undefined for another event, or one that is told at another time. */
  #alarmOf({ time, eventKey }: FlowMessage): Alarm | undefined {
    const { alarms, events, panel } = this.#of.world
    const arrived = events.find(({ event }) => eventKey.startsWith(`${panel.serial}-${event.event}-`))
    if (arrived === undefined) return undefined
    const { type_id, zone } = arrived.event
    const isMeant = (alarm: Alarm) =>
      alarm.zone === zone && alarm.typeId === type_id && alarm.time === timeOf(arrived.event)
    const isTold = (alarm: Alarm) =>
      isTimeOf(time, alarm.time, this.#of.house) || this.#isNotToCome(time, alarm)
    // Of two alarms of a zone within a second, the later one lasts.
    return alarms.findLast((alarm) => isMeant(alarm) && isTold(alarm))
  }

  /** Returns true if an alarm had a time to come when it became known, and is told at a time from then on. */
  #isNotToCome(text: string, alarm: Alarm): boolean {
    const machineTime = this.#of.world.eventOf(alarm)?.machineTime ?? Number.POSITIVE_INFINITY
    const told = Date.parse(text)
    // A time that clocks show twice may be read as the later one.
    const latest = alarm.time + (isShownTwice(alarm.time, this.#of.house) ? hour : 0)
    // The world is looked at each ten seconds, so an event can have arrived so long before.
    return told > machineTime - 11 * second && told < latest
  }

  #report(id: string, rule: string, sentence: string): void {
    this.#of.report(`incident ${rule} ${id}`, `incident: ${id} ${sentence}`)
  }
}

/** Returns true for alarms that nothing tells apart: a zone raises two within a second. */
function isAlike(one: Alarm, other: Alarm): boolean {
  return one.zone === other.zone && one.typeId === other.typeId && one.time === other.time
}

function nameOf({ name, time }: Alarm): string {
  return `of ${name} at ${new Date(time).toISOString()}`
}

function namesOf(alarms: readonly Alarm[]): string {
  return alarms
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ')
}

function since(alarms: readonly Alarm[], now: number): string {
  return `${Math.round((now - Math.max(...alarms.map(({ to }) => to ?? now))) / 1000)} s`
}

import type { Answer } from '../../account/answer.ts'
import { second } from '../../duration.ts'
import { isInMemory, type PanelAlarm } from '../../service/responses/alarms.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import { concerns, type PanelStatus, type PartitionStatus } from '../../service/responses/status.ts'
import { eventKey, isYounger } from '../events/event-order.ts'
import { afterAnswer, type ListRecord, madeAt, nothingKnown } from '../snapshot.ts'
import { type Arrival, maxDelay, unarmedStates } from './alarm-evidence.ts'
import { isOnline } from './partition-state.ts'

/** An alarm, and the partitions that were armed when the service listed it last. */
interface ListedAlarm {
  alarm: PanelAlarm
  armedIn: readonly number[]
}

/** A status with the partitions that one answer lacks. */
export interface KnownStatus extends PanelStatus {
  online: boolean | null
  /** The partitions that the answer lacks. */
  held: readonly PartitionStatus[]
}

/** Knows the partitions and the alarms of a panel, also those that one answer of the service lacks. */
export class KnownState {
  /** True if the latest answers lack something of which only another answer can show that it is gone. */
  isInDoubt = false
  /** Alarms that the latest list lacks: they may be over. */
  heldAlarms: ReadonlySet<PanelAlarm> = new Set()
  /** True once two answers agree on the partitions. */
  hasAllPartitions = false
  /** True once two answers agree on the alarms, and on the partitions in which they can be. */
  hasAllAlarms = false
  /** By partition, the latest known disarm. */
  disarms: ReadonlyMap<number, Arrival> = new Map()
  /**
   * By partition that is armed, the latest answer that showed it disarmed before. If none did, some minutes before the first answer:
   * Node-RED was perhaps restarted in an alarm.
   */
  armings: ReadonlyMap<number, Arrival> = new Map()
  /** The request for the earlier one of the latest two complete lists of alarms, in the same time; undefined without two. */
  agreedAt: number | undefined
  /** The partitions that were armed, each with the arrival of the answer that shows it disarmed since, if one does. */
  readonly #armed = new Map<number, Arrival | undefined>()
  /** By partition, the latest answer that showed it disarmed. */
  readonly #disarmed = new Map<number, Arrival>()
  #online: ListRecord<boolean> = nothingKnown
  #partitions: ListRecord<PartitionStatus> = nothingKnown
  #alarms: ListRecord<ListedAlarm> = nothingKnown
  #isHoldingPartitions = false

  /**
   * Returns the status with what this one answer lacks.
   * @param validFor milliseconds after which an earlier answer is no longer the one before
   */
  noteStatus(answer: Answer<PanelStatus>, validFor: number): KnownStatus {
    const { value: status } = answer
    const told = isOnline(status)
    const said = new Map(told === null ? [] : [['online', told]])
    const online = afterAnswer(this.#online, said, { ...answer, isReliable: true, validFor })
    this.#online = online.record
    const isReachable = (told ?? online.held[0]) !== false
    const listed = new Map(status.partitions.map((partition) => [`${partition.id}`, partition]))
    const before = this.#partitions
    const { record, held } = afterAnswer(before, listed, {
      ...answer,
      isReliable: isReachable,
      validFor,
    })
    this.#partitions = record
    if (record !== before && isReachable)
      for (const partition of status.partitions) this.#followArming(partition, answer, !record.isEarly)
    this.#isHoldingPartitions = held.length > 0
    this.isInDoubt = this.#isHoldingPartitions || this.heldAlarms.size > 0
    this.hasAllPartitions = record.isWhole
    this.hasAllAlarms = record.isWhole && this.#alarms.isWhole
    return {
      ...status,
      partitions: [...status.partitions, ...held],
      online: told ?? online.held[0] ?? null,
      held,
    }
  }

  /** Returns the alarms that are known while their list cannot be read: all that no disarm has ended. */
  keepAlarms({ partitions }: KnownStatus): readonly PanelAlarm[] {
    const disarmed = new Set(
      partitions.flatMap(({ id, state }) => (state === 'DISARM' && this.disarms.has(id) ? [id] : [])),
    )
    const kept = [...this.#alarms.entries.values()].filter(
      ({ alarm, armedIn }) => isInMemory(alarm) || !armedIn.some((id) => disarmed.has(id)),
    )
    this.heldAlarms = new Set(kept.map(({ alarm }) => alarm))
    this.hasAllAlarms = false
    return [...this.heldAlarms]
  }

  /**
   * Returns the list of alarms with those that this one answer lacks. Besides a second answer, it ends an alarm that a
   * partition is disarmed that was armed, and that the list tells of a later alarm there, or remembers this one.
   * @param validFor milliseconds after which an earlier answer is no longer the one before
   */
  noteAlarms(
    answer: Answer<readonly PanelAlarm[]>,
    status: KnownStatus,
    validFor: number,
  ): readonly PanelAlarm[] {
    const { value: alarms } = answer
    const armed: number[] = []
    const disarmed = new Set<number>()
    for (const partition of status.partitions) {
      if (status.held.includes(partition)) continue
      if (partition.state === 'DISARM') disarmed.add(partition.id)
      else armed.push(partition.id)
    }
    const listed = new Map(
      alarms.map((alarm): [string, ListedAlarm] => [
        JSON.stringify([alarm.device_type, alarm.zone, alarm.datetime]),
        { alarm, armedIn: armed.filter((id) => concerns(alarm.partitions, id)) },
      ]),
    )
    const dated = { ...answer, isReliable: status.online !== false, validFor }
    const { record, held } = afterAnswer(this.#alarms, listed, dated, {
      isOver: ({ alarm, armedIn }) =>
        (!isInMemory(alarm) && armedIn.some((id) => disarmed.has(id))) ||
        alarms.some((other) => areOfOneZone(alarm, other) && alarm.datetime <= other.datetime),
      speaksOf: ({ alarm }) => !status.held.some(({ id }) => concerns(alarm.partitions, id)),
    })
    this.#alarms = record
    this.agreedAt = record.agreedAt
    this.heldAlarms = new Set(held.map(({ alarm }) => alarm))
    this.isInDoubt = this.#isHoldingPartitions || this.heldAlarms.size > 0
    this.hasAllAlarms = this.hasAllPartitions && record.isWhole
    return [...alarms, ...this.heldAlarms]
  }

  /** @param isComplete false for the first answer after a sign-in, which proves no disarm */
  #followArming(
    { id, state }: PartitionStatus,
    answer: Pick<Answer<unknown>, 'at' | 'fetchedAt' | 'sentAt' | 'cached'>,
    isComplete: boolean,
  ): void {
    const armed = this.#armed
    if (!unarmedStates.has(state)) {
      armed.set(id, undefined)
      // An alarm does not tell if the partition is armed. When it was armed between two answers is not known: what became known
      // between them may be of the time after it.
      if (state !== 'ALARM' && !this.armings.has(id))
        this.armings = new Map([...this.armings, [id, this.#disarmed.get(id) ?? minutesBefore(answer)]])
    } else if (state === 'DISARM') {
      const { at, fetchedAt, cached = 0 } = answer
      this.#disarmed.set(id, { at: at - cached, wall: fetchedAt - cached })
    }
    if (state !== 'DISARM' || !armed.has(id) || !isComplete) return
    const disarm = armed.get(id)
    if (disarm === undefined) armed.set(id, { at: answer.at - (answer.cached ?? 0), wall: answer.fetchedAt })
    else if (madeAt(answer) >= disarm.at) {
      this.disarms = new Map([...this.disarms, [id, disarm]])
      this.armings = new Map([...this.armings].filter(([other]) => other !== id))
      armed.delete(id)
    }
  }
}

/** Returns the time some minutes before the arrival of an answer. */
function minutesBefore({ at, fetchedAt }: Pick<Answer<unknown>, 'at' | 'fetchedAt'>): Arrival {
  return { at: at - maxDelay, wall: fetchedAt - maxDelay }
}

/** Returns true for two alarms of one zone; the control panel has alarms of several kinds. */
function areOfOneZone(one: PanelAlarm, other: PanelAlarm): boolean {
  return Boolean(one.zone) && one.zone === other.zone && one.device_type === other.device_type
}

/** The number of events that are remembered of a list: far more than happen between two polls. */
const maxRemembered = 200

/** Knows the latest events of a panel whose state is inferred from them, also those that one list lacks. */
export class KnownEvents {
  #record: ListRecord<PanelEvent> = nothingKnown
  /** By key, the time at which an event was known first, in milliseconds of the monotonic clock; without those of the first list. */
  #knownAt: ReadonlyMap<string, number> = new Map()

  /**
   * Returns a list with the events that this one list lacks, each at its place.
   * @param events oldest first
   * @param validFor milliseconds after which an earlier list is no longer the one before
   * @param timeZone the zone of the times in the events
   */
  note(
    events: readonly PanelEvent[],
    answer: Answer<unknown>,
    validFor: number,
    timeZone: string,
  ): readonly PanelEvent[] {
    const keyed = events.map((event): [string, PanelEvent] => [keyOf(event), event])
    const listed = new Map(keyed)
    const dated = { ...answer, isReliable: events.length > 0 && !this.#isCut(listed), validFor }
    const { record, held } = afterAnswer(this.#record, listed, dated)
    const isFirst = this.#record.latest === undefined
    const latest = keyed.slice(-maxRemembered)
    const news = isFirst ? [] : latest.filter(([key]) => !this.#record.entries.has(key))
    const added = news.map(([key]): [string, number] => [key, this.#knownAt.get(key) ?? answer.at])
    // Those of this list are the last ones.
    this.#record = { ...record, entries: new Map([...record.entries].slice(-maxRemembered)) }
    if (added.length > 0) this.#knownAt = new Map([...this.#knownAt, ...added].slice(-maxRemembered))
    const all = held.reduce<readonly PanelEvent[]>((all, event) => {
      const next = all.findIndex((other) => isYounger(other, event))
      return all.toSpliced(next < 0 ? all.length : next, 0, event)
    }, events)
    return this.#inOrder(all, timeZone)
  }

  /**
   * Returns events with those that one list has added in the order of their times: after an outage a panel reports alarms
   * first, and later the arming before them (makers' guides).
   */
  #inOrder(events: readonly PanelEvent[], timeZone: string): readonly PanelEvent[] {
    const timeOf = (event: PanelEvent) => Date.parse(eventTime(event, timeZone) ?? '')
    const reports: PanelEvent[][] = []
    let latest: number | undefined
    for (const event of events) {
      const knownAt = this.#knownAt.get(keyOf(event))
      if (knownAt !== undefined && knownAt === latest) reports.at(-1)?.push(event)
      else reports.push([event])
      latest = knownAt
    }
    return reports.flatMap((report) => report.toSorted((one, other) => timeOf(one) - timeOf(other)))
  }

  /**
   * Returns true for a list that ends with a known event, and lacks a younger one: a log loses its oldest events, and what an alarm
   * has ended would be unknown again.
   */
  #isCut(listed: ReadonlyMap<string, PanelEvent>): boolean {
    const known = this.#record.entries
    const [key, last] = [...listed].at(-1) ?? []
    if (key === undefined || last === undefined || !known.has(key)) return false
    return [...known].some(([other, event]) => !listed.has(other) && isYounger(event, last))
  }

  /** All that are remembered, oldest first. */
  get all(): readonly PanelEvent[] {
    return [...this.#record.entries.values()]
  }

  /**
   * Returns the time at which an event was known: milliseconds since 1970. Of those of the first list, and of old ones, it is
   * their own time.
   * @param epoch the milliseconds since 1970 at which the monotonic clock was 0, as the machine's clock is now
   */
  knownAt(event: PanelEvent, timeZone: string, epoch: number): number {
    const at = this.#knownAt.get(keyOf(event))
    if (at !== undefined) return epoch + at
    return Date.parse(eventTime(event, timeZone) ?? '1970-01-01T00:00:00Z')
  }
}

/** The key of an event of which only the latest count. */
function keyOf(event: PanelEvent): string {
  return eventKey('', event, 1)
}

/**
 * The ends of the running exit delays: the service reports only that a delay runs, and not since when.
 *
 * A delay began when it was first seen, or with a command that was announced since the previous read. Times
 * are milliseconds of the monotonic clock.
 */
export class ExitDelays {
  readonly #started = new Map<number, { target: string; at: number }>()
  #readAt = Number.NEGATIVE_INFINITY

  /**
   * Processes the service's report; returns the end of each running delay of a known length, by partition id.
   * @param lengthOf returns seconds
   * @param at the time of the request
   * @param announcedAt the time at which a command has changed the state last; -Infinity without one
   */
  follow(
    partitions: readonly PartitionStatus[],
    lengthOf: (id: number) => number | null,
    at: number,
    announcedAt: number,
  ): ReadonlyMap<number, number> {
    const ends = new Map<number, number>()
    for (const { id, state, status } of partitions) {
      if (status !== 'EXIT') {
        this.#started.delete(id)
        continue
      }
      const length = second * (lengthOf(id) ?? Number.NaN)
      const known = this.#started.get(id)
      // An announcement is not the start if the delay would be over by now.
      const fits = announcedAt > this.#readAt && announcedAt <= at && announcedAt + length > at
      const started = known?.target === state ? known : { target: state, at: fits ? announcedAt : at }
      this.#started.set(id, started)
      if (length >= 0) ends.set(id, started.at + length)
    }
    this.#readAt = Math.max(this.#readAt, at)
    return ends
  }
}

/** Returns the whole seconds from one moment of the monotonic clock to a later one; 0 if that has passed. */
export function secondsUntil(end: number, now: number): number {
  return Math.max(0, Math.ceil((end - now) / second))
}

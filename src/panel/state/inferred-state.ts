import { minute } from '../../duration.ts'
import { isDuress } from '../../service/catalogue/alarm-kind.ts'
import { type Catalogue, stripLabelPrefix } from '../../service/catalogue/catalogue.ts'
import { isRestoreOf } from '../../service/catalogue/event-endings.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import type { PanelInfo } from '../../service/responses/panel-info.ts'
import { concerns, wholePanel } from '../../service/responses/status.ts'
import { type AlarmEvidence, noEvidence } from './alarm-evidence.ts'
import { type ActiveAlarm, type PartitionState, partitionSetup, type StateView } from './partition-state.ts'
import { evidenceOf, lastSeenOnline } from './state-changes.ts'

/**
 * Returns true if the answers show that an alarm is over that no event has ended.
 * @param partition the id of the partition that it is about
 * @param state the state of the partition that the events tell
 */
export type AlarmCheck = (alarm: PanelEvent, partition: number, state: string) => boolean

/** Returns true if the answers show that a partition was armed when an event became known. */
export type EventCheck = (event: PanelEvent, partition: number) => boolean

/** The facts that status and lists of alarms show beside the events, where the service has them. */
interface Shown {
  /** The partitions that are disarmed by the status. */
  readonly disarmed?: ReadonlySet<number> | undefined
  /** Tells of an arming that no event tells. */
  readonly isArmed?: EventCheck
  /** Ends alarms that no event ends. */
  readonly isOver?: AlarmCheck
}

/**
 * Returns the panel's state inferred from its events, for services without an operation for the current
 * state.
 *
 * `events` are oldest first. For each partition the newest arm, disarm or alarm event decides; an alarm lasts
 * until it is disarmed or canceled in one of its partitions, that of a disarmed partition also until its restore. A
 * partition without any such event has the value `UNKNOWN`.
 * @param shown by other answers than the events
 */
export function inferredState(
  events: readonly PanelEvent[],
  catalogue: Catalogue,
  info: PanelInfo | null,
  timeZone: string,
  shown: Shown = {},
): StateView {
  const { isOver = () => false } = shown
  const ordered = withArmingsFirst(events, catalogue, timeZone)
  const known: { id: number; state: string }[] = []
  const partitions = partitionIds(events, info).map((id): PartitionState => {
    const { state, alarms } = followed(id, ordered, catalogue, shown)
    known.push({ id, state })
    const running = alarms.filter((alarm) => !isOver(alarm, id, state))
    return {
      id,
      value: running.length > 0 ? 'ALARM' : state,
      status: '',
      ready: null,
      options: [],
      ...partitionSetup(info, id, state),
      exitUntil: null,
      alarms: running.map((event) => reported(event, timeZone)),
      inferred: true,
      changedBy: null,
    }
  })
  const online = lastSeenOnline(events, catalogue)
  return { online, partitions, evidence: { ...noEvidence, timeEnds: online !== false, partitions: known } }
}

/**
 * Returns the state inferred now, with the earlier inference for partitions that the list no longer covers:
 * the event that armed a partition leaves the list long before the partition is disarmed.
 */
export function keepKnownStates(now: StateView, before: StateView | undefined): StateView {
  if (before === undefined) return now
  const evidence = keepStates(now.evidence, before.evidence)
  if (now.partitions.every(({ value }) => value === 'UNKNOWN'))
    return { ...before, online: now.online, ...evidence }
  const partitions = now.partitions.map((partition) => {
    const known = before.partitions.find(({ id }) => id === partition.id)
    return partition.value === 'UNKNOWN' && known !== undefined ? known : partition
  })
  return { ...now, partitions, ...evidence }
}

function keepStates(
  now: AlarmEvidence | undefined,
  before: AlarmEvidence | undefined,
): Pick<StateView, 'evidence'> {
  if (now === undefined) return {}
  const partitions = now.partitions.map((one) => {
    const known = before?.partitions.find(({ id }) => id === one.id)
    return one.state === 'UNKNOWN' && known !== undefined ? known : one
  })
  return { evidence: { ...now, partitions } }
}

/** Returns the reported state, with the partitions in alarm for which the events show an alarm. */
export function withInferredAlarms(reportedView: StateView, inferredView: StateView): StateView {
  const partitions = reportedView.partitions.map((partition) => {
    const inAlarm = inferredView.partitions.find(({ id, value }) => id === partition.id && value === 'ALARM')
    // What the list has shown tells more, and is no change while the list cannot be read.
    const isListed = partition.alarms.some(({ inMemory }) => !inMemory)
    return inAlarm && !isListed
      ? { ...partition, value: 'ALARM', alarms: inAlarm.alarms, inferred: true }
      : partition
  })
  return { ...reportedView, partitions }
}

/** Milliseconds within which a panel that is back reports what happened before. */
const maxOutage = 30 * minute

/**
 * Returns the events with each arming before the alarms that came after it by their times. After an outage a panel reports the
 * alarms first (makers' guides), so the arming before them has a later id, and would end them.
 */
function withArmingsFirst(
  events: readonly PanelEvent[],
  catalogue: Catalogue,
  timeZone: string,
): readonly PanelEvent[] {
  const timeOf = (event: PanelEvent) => Date.parse(eventTime(event, timeZone) ?? '')
  const ordered: PanelEvent[] = []
  // A list can be long, and is read again with each poll.
  const alarms: { event: PanelEvent; time: number }[] = []
  for (const event of events) {
    const evidence = evidenceOf(event, catalogue)
    if (evidence === 'ALARM') alarms.push({ event, time: timeOf(event) })
    const isArming = evidence === 'AWAY' || evidence === 'HOME'
    const time = isArming && alarms.length > 0 ? timeOf(event) : Number.NaN
    const later = alarms.find((alarm) => alarm.time > time && alarm.time - time <= maxOutage)
    ordered.splice(later === undefined ? ordered.length : ordered.indexOf(later.event), 0, event)
  }
  return ordered
}

/**
 * Returns the state of a partition by its events, and the alarms that no event has ended. The alarm of a zone of several
 * partitions ends with the disarm of one of them (makers' guides, PowerMaster "Partitions").
 */
function followed(
  id: number,
  events: readonly PanelEvent[],
  catalogue: Catalogue,
  { disarmed, isArmed = () => false }: Shown,
): { state: string; alarms: PanelEvent[] } {
  let state = 'UNKNOWN'
  let alarms: PanelEvent[] = []
  for (const event of events) {
    // A code that is entered under threat disarms, too, and only the status tells so.
    const evidence = evidenceOf(event, catalogue) ?? (isThreat(event, catalogue) ? 'CANCEL' : null)
    if (!concerns(event.partitions, id)) {
      if (evidence === 'DISARM' || evidence === 'CANCEL')
        alarms = alarms.filter((alarm) => !alarm.partitions.some((one) => event.partitions.includes(one)))
      continue
    }
    if (evidence === null) {
      // A list without any arming begins after the disarming that the status shows.
      const isDisarmed = state === 'DISARM' || (state === 'UNKNOWN' && disarmed?.has(id) === true)
      if (isDisarmed && !isArmed(event, id))
        alarms = alarms.filter((alarm) => !isRestored(alarm, event, catalogue))
    } else if (evidence === 'ALARM') {
      alarms.push(event)
    } else {
      alarms = []
      if (evidence !== 'CANCEL') state = evidence
    }
  }
  return { state, alarms }
}

function isThreat({ type_id }: PanelEvent, catalogue: Catalogue): boolean {
  const type = catalogue.get(type_id ?? Number.NaN)
  return type !== undefined && isDuress(type)
}

function isRestored(alarm: PanelEvent, event: PanelEvent, catalogue: Catalogue): boolean {
  if (alarm.device_type !== event.device_type || alarm.zone !== event.zone) return false
  const [start, end] = [alarm, event].map(({ type_id }) => catalogue.get(type_id ?? Number.NaN))
  return start !== undefined && end !== undefined && isRestoreOf(start, end, catalogue)
}

function reported(event: PanelEvent, timeZone: string): ActiveAlarm {
  return {
    type: stripLabelPrefix(event.label),
    inMemory: false,
    deviceType: event.device_type,
    zone: event.zone,
    zoneName: event.zone_name,
    location: '',
    partitions: event.partitions,
    time: eventTime(event, timeZone),
    timeRaw: event.datetime,
  }
}

/**
 * Returns the partitions that a status would list: the active ones without the whole panel, which is listed
 * only if the panel is not divided (field fact). If the setup is unknown, these are the ones that the events
 * name.
 */
function partitionIds(events: readonly PanelEvent[], info: PanelInfo | null): number[] {
  const listed = info?.partitions.filter(({ active }) => active).map(({ id }) => id) ?? []
  const candidates = listed.length > 0 ? listed : events.flatMap(({ partitions }) => partitions)
  const parts = [...new Set(candidates)].filter((id) => id !== wholePanel).sort((one, other) => one - other)
  return parts.length > 0 ? parts : [wholePanel]
}

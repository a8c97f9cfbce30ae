import { minute } from '../../duration.ts'
import type { Device } from '../../service/responses/devices.ts'
import { concerns } from '../../service/responses/status.ts'
import { findZone } from '../devices/device.ts'
import type { StoryEvent } from '../incidents/story-event.ts'
import type { PartitionState, StateView } from '../state/partition-state.ts'
import { type Evidence, idOf, type PanelCondition, placeOf } from './condition.ts'
import { type Telling, tellingOf } from './condition-choice.ts'

/** A partition that was seen armed, since the notes of the conditions began. */
export interface Arming {
  readonly partition: number
  /** Milliseconds since 1970 at which it was seen disarmed after that; null while it is armed. */
  readonly disarmedAt: number | null
}

/** The time of a list of devices, and the tellings before it. */
export interface ListOfDevices {
  /** Milliseconds since 1970 at which the list was requested. */
  readonly requestedAt: number
  readonly told: readonly Telling[]
}

/** Milliseconds after a disarm from which a list must show that it has ended the bypasses: the service may show it late. */
const maxLag = minute

/** The event type of a bypass (interface specification 6.3). */
const bypassType = 97

/** The word in the id of a bypass that a disarm did not end: it is told anew. */
const outlived = 'disarmed'

/** The states of a panel in which a partition is certainly armed; others are its own. */
const armedStates: ReadonlySet<string> = new Set(['AWAY', 'HOME', 'ENTRY_DELAY'])

/** Returns the armings after the state was read; the same object if nothing has changed. */
export function withPartitions(
  armings: readonly Arming[],
  { partitions }: Pick<StateView, 'partitions'>,
  now: number,
): readonly Arming[] {
  return partitions.reduce((known, partition) => withPartition(known, partition, now), armings)
}

function withPartition(
  armings: readonly Arming[],
  { id, value, isArmed }: PartitionState,
  now: number,
): readonly Arming[] {
  const known = armings.find(({ partition }) => partition === id)
  const others = armings.filter((one) => one !== known)
  // An alarm, the exit delay and a state that nobody knows tell neither.
  if (isArmed || armedStates.has(value))
    return known?.disarmedAt === null ? armings : [...others, { partition: id, disarmedAt: null }]
  if (value !== 'DISARM' || known?.disarmedAt !== null) return armings
  return [...others, { partition: id, disarmedAt: now }]
}

/**
 * Returns the armings without those that have ended before somebody bypassed a zone of their partition: what a list shows
 * from then on may be the new bypass. The same object if there is none.
 */
export function withBypassEvents(
  armings: readonly Arming[],
  events: readonly StoryEvent[],
): readonly Arming[] {
  const bypasses = events.filter(({ typeId }) => typeId === bypassType)
  const left = armings.filter(
    ({ partition, disarmedAt }) =>
      disarmedAt === null ||
      !bypasses.some(
        ({ partitions, readAt, time }) => concerns(partitions, partition) && (readAt ?? time) >= disarmedAt,
      ),
  )
  return left.length === armings.length ? armings : left
}

/**
 * Returns what a list of devices shows, with the bypasses that a disarm should have ended (makers' guides: a bypass lasts for
 * one arming). Such a bypass was told before the disarm, and is listed a minute after it.
 * @param list absent if nothing new is to be judged
 */
export function withOutlivedBypasses(
  evidence: readonly Evidence[],
  listed: readonly Device[],
  { conditions, armings }: { conditions: readonly PanelCondition[]; armings: readonly Arming[] },
  list?: ListOfDevices,
): readonly Evidence[] {
  const byId = new Map(conditions.map((condition) => [condition.id, condition]))
  return evidence.map((one) => {
    if (one.kind !== 'bypassed') return one
    // Also of a zone that the panel has left out before, of which the next list no longer tells that.
    const id = idOf(one.kind, placeOf('ZONE', one.zone), outlived)
    const known = byId.get(id)
    const before = byId.get(one.id)
    const isOutlived = before !== undefined && list !== undefined && outlives(before, listed, armings, list)
    const since = known?.since ?? before?.since ?? null
    return known !== undefined || isOutlived ? { ...one, id, since, says: 'bypassKept' } : one
  })
}

function outlives(
  condition: PanelCondition,
  listed: readonly Device[],
  armings: readonly Arming[],
  { requestedAt, told }: ListOfDevices,
): boolean {
  const telling = tellingOf(condition, told)
  const device = findZone(condition.zone, listed)
  if (telling === undefined || device === undefined) return false
  const ends = armings
    .filter(({ partition }) => concerns(device.partitions, partition))
    .map(({ disarmedAt }) => disarmedAt ?? Number.POSITIVE_INFINITY)
  const disarmedAt = Math.max(...ends)
  return telling.at < disarmedAt && requestedAt >= disarmedAt + maxLag
}

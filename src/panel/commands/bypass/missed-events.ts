import { minute } from '../../../duration.ts'
import type { Catalogue } from '../../../service/catalogue/catalogue.ts'
import type { PanelEvent } from '../../../service/responses/events.ts'
import { concerns } from '../../../service/responses/status.ts'
import { utcTime } from '../../../service/time.ts'
import { evidenceOf } from '../../state/state-changes.ts'
import type { BypassRecord } from './bypass-records.ts'

/** Milliseconds by which the clocks of panel and machine may differ: a forgotten summer time, and some minutes. */
const maxClockError = 90 * minute

/** The event type of a bypass (interface specification 6.3). */
const bypassType = 97

/** Arming and disarming are told by their types alone. */
const noCatalogue: Catalogue = new Map()

/** An event that tells who decides about a bypass. */
interface Step {
  what: 'arm' | 'disarm' | 'bypass'
  /** Milliseconds since 1970, by the clock of the panel. */
  time: number
}

/**
 * Returns true if people have armed the panel or bypassed zones since the arming of a record has ended: then its zones
 * may be bypassed by hand. Returns undefined if the events do not tell.
 *
 * Only the arming itself, or the last step, is found by its time; all else by the order of the events.
 * @param events oldest first
 * @param at the time of the last step, in milliseconds since 1970 by the clock of this machine
 */
export function isDecidedSince(
  record: BypassRecord,
  events: readonly PanelEvent[],
  at: number,
  timeZone: string,
): boolean | undefined {
  const steps = stepsOf(record, events, timeZone)
  const isByPeople = ({ what }: Step) => what !== 'disarm'
  if (record.phase !== 'armed') {
    const isKnown = steps.some(({ time }) => time < at - maxClockError)
    const isLater = ({ time }: Step) => time > at + maxClockError
    return isKnown ? steps.some((step) => isLater(step) && isByPeople(step)) : undefined
  }
  const arming = nearest(steps, at)
  if (arming === undefined) return undefined
  const since = steps.slice(steps.indexOf(arming) + 1)
  const end = since.findIndex(({ what }) => what === 'disarm')
  return end >= 0 && since.slice(end + 1).some(isByPeople)
}

/** Returns the arming at a time, as far as the clocks agree. */
function nearest(steps: readonly Step[], at: number): Step | undefined {
  const distance = ({ time }: Step) => Math.abs(time - at)
  const armings = steps.filter((step) => step.what === 'arm' && distance(step) <= maxClockError)
  return armings.sort((one, other) => distance(one) - distance(other))[0]
}

/** Returns what the events tell about the partition and the zones of a record. */
function stepsOf(
  { partition, zones }: BypassRecord,
  events: readonly PanelEvent[],
  timeZone: string,
): Step[] {
  return events.flatMap((event): Step[] => {
    const time = Date.parse(utcTime(event.datetime, timeZone) ?? '')
    if (Number.isNaN(time) || !concerns(event.partitions, partition)) return []
    const evidence = evidenceOf(event, noCatalogue)
    if (evidence === 'AWAY' || evidence === 'HOME') return [{ what: 'arm', time }]
    if (evidence === 'DISARM') return [{ what: 'disarm', time }]
    // Else its number is that of the user.
    const isAboutOther = event.device_type === 'ZONE' && !zones.includes(event.zone ?? 0)
    return event.type_id === bypassType && !isAboutOther ? [{ what: 'bypass', time }] : []
  })
}

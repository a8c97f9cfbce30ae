import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import { concerns } from '../../service/responses/status.ts'
import { utcTime } from '../../service/time.ts'
import { type Evidence, evidenceOf } from './inferred-state.ts'
import type { ChangedBy, PartitionState, StateView } from './partition-state.ts'

/** The state of a partition at the last look. */
interface Look {
  value: string
  /** The time of the request, in milliseconds of the monotonic clock. */
  sentAt: number
  /** The time of the latest request whose answer had another state. */
  otherAt: number
}

/** An event about arming and disarming. It keeps what is needed of it, because a list can be long. */
interface ArmingEvent {
  evidence: Evidence
  /** Empty means the whole panel. */
  partitions: readonly number[]
  name: string
  at: string | null
}

/** The events about arming and disarming that are known. */
interface KnownEvents {
  /** Oldest first; for the same partitions only the newest of each kind. */
  events: readonly ArmingEvent[]
  /** The time of the request for them, in milliseconds of the monotonic clock. */
  sentAt: number
}

/**
 * Finds the events of the changes of state, in the lists that are read anyway.
 *
 * A list tells nothing about a change that came after it. So only one counts that was requested after the last answer
 * with the state before.
 */
export class StateChanges {
  readonly #timeZone: string
  readonly #looks = new Map<number, Look>()
  #known: KnownEvents = { events: [], sentAt: Number.NEGATIVE_INFINITY }

  /** @param timeZone the zone of the times in the events */
  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  /** Notes a list of events, oldest first. */
  noteEvents(list: readonly PanelEvent[], catalogue: Catalogue, sentAt: number): void {
    if (sentAt < this.#known.sentAt) return
    const newest = new Map<string, { event: PanelEvent; evidence: Evidence }>()
    for (const event of list) {
      const evidence = evidenceOf(event, catalogue)
      if (evidence === null || evidence === 'ALARM') continue
      const kind = `${evidence} ${event.partitions.join()}`
      newest.delete(kind)
      newest.set(kind, { event, evidence })
    }
    const events = [...newest.values()].map(({ event, evidence }) => {
      const { appointment: name, partitions, datetime } = event
      return { evidence, partitions, name, at: utcTime(datetime, this.#timeZone) }
    })
    this.#known = { events, sentAt }
  }

  /** Returns a state with who caused it. @param sentAt the time of the request for it */
  withNames(view: StateView, sentAt: number): StateView {
    const partitions = view.partitions.map((partition) => {
      const otherAt = this.#follow(partition, sentAt)
      const changedBy = this.#known.sentAt > otherAt ? this.#changeTo(partition) : null
      return { ...partition, changedBy }
    })
    return { ...view, partitions }
  }

  /** Returns the time of the latest request whose answer had another state. */
  #follow({ id, value }: PartitionState, sentAt: number): number {
    const before = this.#looks.get(id)
    if (before !== undefined && before.sentAt > sentAt) return before.otherAt
    const isSame = before === undefined || before.value === value || isArmedAfter(before.value, value)
    const otherAt = isSame ? (before?.otherAt ?? Number.NEGATIVE_INFINITY) : before.sentAt
    this.#looks.set(id, { value, sentAt, otherAt })
    return otherAt
  }

  /** Returns the newest arming or disarming of a partition, if it leads to its state. */
  #changeTo({ id, value }: PartitionState): ChangedBy | null {
    let change: (ChangedBy & { state: string }) | undefined
    let canceledBy = ''
    for (const { evidence, partitions, name, at } of this.#known.events) {
      if (!concerns(partitions, id)) continue
      // After an alarm, the event that cancels it has the name, and that of the disarming has none.
      if (evidence === 'CANCEL') canceledBy = name
      if (evidence !== 'AWAY' && evidence !== 'HOME' && evidence !== 'DISARM') continue
      change = { state: evidence, name: name || (evidence === 'DISARM' ? canceledBy : ''), at }
      canceledBy = ''
    }
    const leadsTo = change?.state === value || isArmedAfter(value, change?.state ?? '')
    return change !== undefined && leadsTo ? { name: change.name, at: change.at } : null
  }
}

/** Returns true for the state that an exit delay leads to. */
function isArmedAfter(before: string, after: string): boolean {
  return before === 'ARMING' && (after === 'AWAY' || after === 'HOME')
}

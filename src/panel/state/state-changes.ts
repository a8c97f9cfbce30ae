import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import { concerns } from '../../service/responses/status.ts'
import { utcTime } from '../../service/time.ts'
import { evidenceOf } from './inferred-state.ts'
import type { ChangedBy, PartitionState, StateView } from './partition-state.ts'

/** What the state of a partition was at the last look. */
interface Look {
  value: string
  /** The time of the request, in milliseconds of the monotonic clock. */
  sentAt: number
  /** The time of the latest request whose answer had another state. */
  otherAt: number
}

/** The events about arming and disarming that are known. */
interface KnownEvents {
  /** Oldest first. */
  events: readonly PanelEvent[]
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
  #catalogue: Catalogue | undefined

  /** @param timeZone the zone of the times in the events */
  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  /** Notes a list of events, oldest first. */
  noteEvents(list: readonly PanelEvent[], catalogue: Catalogue, sentAt: number): void {
    if (sentAt < this.#known.sentAt) return
    const events = list.filter((event) => isAboutArming(evidenceOf(event, catalogue)))
    this.#known = { events, sentAt }
    this.#catalogue = catalogue
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
    for (const event of this.#known.events) {
      if (!concerns(event.partitions, id)) continue
      const state = this.#catalogue && evidenceOf(event, this.#catalogue)
      // After an alarm, the event that cancels it has the name, and that of the disarming has none.
      if (state === 'CANCEL') canceledBy = event.appointment
      if (state !== 'AWAY' && state !== 'HOME' && state !== 'DISARM') continue
      const name = event.appointment || (state === 'DISARM' ? canceledBy : '')
      change = { state, name, at: utcTime(event.datetime, this.#timeZone) }
      canceledBy = ''
    }
    const leadsTo = change?.state === value || isArmedAfter(value, change?.state ?? '')
    return change !== undefined && leadsTo ? { name: change.name, at: change.at } : null
  }
}

function isAboutArming(evidence: ReturnType<typeof evidenceOf>): boolean {
  return evidence !== null && evidence !== 'ALARM'
}

/** Returns true for the state that an exit delay leads to. */
function isArmedAfter(before: string, after: string): boolean {
  return before === 'ARMING' && (after === 'AWAY' || after === 'HOME')
}

import type { Answer } from '../../account/answer.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import { eventKey } from '../events/event-key.ts'
import { isYounger } from '../events/event-order.ts'
import { afterAnswer, type ListRecord, nothingKnown } from '../evidence.ts'

/** The number of events that are remembered of a list: far more than happen between two polls. */
const maxRemembered = 200

/** Knows the latest events of a panel whose state is inferred from them, also those that one list lacks. */
export class KnownEvents {
  #record: ListRecord<PanelEvent> = nothingKnown

  /**
   * Returns a list with the events that this one list lacks, each at its place.
   * @param events oldest first
   * @param validFor milliseconds after which an earlier list is no longer the one before
   */
  note(
    events: readonly PanelEvent[],
    { at, sentAt, session }: Answer<unknown>,
    validFor: number,
  ): readonly PanelEvent[] {
    const keyed = events.map((event): [string, PanelEvent] => [eventKey('', event, 1), event])
    const { record, held } = afterAnswer(this.#record, new Map(keyed), {
      ...{ at, sentAt, session, validFor },
      isReliable: events.length > 0,
    })
    // Those of this list are the last ones.
    this.#record = { ...record, entries: new Map([...record.entries].slice(-maxRemembered)) }
    return held.reduce<readonly PanelEvent[]>((all, event) => {
      const next = all.findIndex((other) => isYounger(other, event))
      return all.toSpliced(next < 0 ? all.length : next, 0, event)
    }, events)
  }
}

import { minute } from '../duration.ts'
import type { DeliveredEvent } from '../panel/events/subscription.ts'
import { eventTime } from '../service/responses/events.ts'
import { integer, parse, parseJson, record } from '../service/schema.ts'

/** Milliseconds between event and list that say nothing of a clock: polls come so late. */
const maxDelay = 5 * minute

const format = record({ behind: integer })

/**
 * The panel's clock against that of the machine, learned from events that came while the flow was running. It tells how old
 * an event is that the flow has missed, also where the panel has the wrong time or the account the wrong time zone.
 */
export class PanelClock {
  /** Milliseconds by which the panel is behind; below 0 if it is ahead. */
  #behind = 0

  /** Takes the notes of an earlier process; null if it has left none. */
  recall(notes: string | null): void {
    this.#behind = parse(format, parseJson(notes ?? ''))?.value.behind ?? 0
  }

  /**
   * Learns from the events of a list; of several, the one that was told soonest. Returns the notes if they have changed.
   * @param fetchedAt milliseconds since 1970 at which the list was read
   */
  note(deliveries: readonly DeliveredEvent[], fetchedAt: number, timeZone: string): string | undefined {
    const delays = deliveries.flatMap(({ event, late, redelivered }) => {
      const time = late || redelivered ? null : eventTime(event, timeZone)
      return time === null ? [] : [fetchedAt - Date.parse(time)]
    })
    if (delays.length === 0) return undefined
    const delay = Math.floor(Math.min(...delays))
    const isPolled = delay >= 0 && delay <= maxDelay
    const behind = isPolled ? 0 : delay
    if (Math.abs(behind - this.#behind) <= maxDelay) return undefined
    this.#behind = behind
    return JSON.stringify({ behind })
  }

  /**
   * Returns the age of something in milliseconds.
   * @param time of the panel's clock
   * @param now milliseconds since 1970 of the machine's clock
   */
  ageOf(time: string, now: number): number {
    return now - this.#behind - Date.parse(time)
  }
}

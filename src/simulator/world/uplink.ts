import { type EventCounter, type EventFields, EventLog, type LoggedEvent } from './event-log.ts'
import { type PanelReport, withoutTraits } from './report.ts'
import { type WorldTime, withSpace } from './world-time.ts'

/**
 * The connection between a panel and the service: the events that arrived, and those that wait while it is
 * offline.
 */
export class Uplink {
  readonly #time: WorldTime
  readonly #log: EventLog
  #late: EventFields[] = []
  #lastReport: PanelReport | null = null
  #quiet = false

  constructor(counter: EventCounter, time: WorldTime) {
    this.#time = time
    this.#log = new EventLog(counter)
  }

  /** The event list in the service, by arrival, oldest first. */
  get events(): readonly LoggedEvent[] {
    return this.#log.events
  }

  /** False while the panel is offline. */
  get online(): boolean {
    return this.#lastReport === null
  }

  /** The `connected` of status: also false during a flap, although the transport is online (field fact). */
  get connected(): boolean {
    return this.online && !this.#quiet
  }

  /** Returns the data that the service serves: `live`, or the last report while the panel is offline. */
  served(live: () => PanelReport): PanelReport {
    return this.#lastReport ?? live()
  }

  /** Sends an event of the panel, now or when it is online again; returns its id, or 0 while it waits. */
  send(fields: EventFields): number {
    if (this.online) return this.#log.take(fields, this.#time.now()).event
    this.#late.push({ datetime: withSpace(this.#time.now()), ...fields })
    return 0
  }

  /** Takes the panel offline; the service adds an event and keeps `last`. */
  cut(last: PanelReport): void {
    if (!this.online) return
    this.#noteByService(998)
    this.#lastReport = withoutTraits(last)
  }

  /**
   * Takes the panel online; the service adds an event, then gets the waiting events with their original
   * times.
   */
  restore(): void {
    if (this.online) return
    this.#lastReport = null
    this.#noteByService(999)
    const late = this.#late
    this.#late = []
    for (const fields of late) this.#log.take(fields, this.#time.now())
  }

  /** Sets `connected` to false for this many seconds, although nothing is wrong. */
  flap(seconds: number): void {
    this.#quiet = true
    this.#time.after(seconds, () => {
      this.#quiet = false
    })
  }

  /** Clears the event list. */
  clear(): void {
    this.#log.clear()
  }

  #noteByService(typeId: number): void {
    const service = { appointment: 'IPMP', device_type: 'IPMP', zone: null }
    this.#log.take({ type_id: typeId, ...service }, this.#time.now())
  }
}

import { type EventCounter, type EventFields, EventLog, type LoggedEvent } from './event-log.ts'
import { type PanelReport, withoutTraits } from './report.ts'
import { type WorldTime, withSpace } from './world-time.ts'

/** The line between a panel and the service: what has arrived, and what waits for the line to come back. */
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

  /** The event list that the service has, oldest arrival first. */
  get events(): readonly LoggedEvent[] {
    return this.#log.events
  }

  /** False while the panel cannot be reached at all. */
  get online(): boolean {
    return this.#lastReport === null
  }

  /** The `connected` of status: also false during a flap, when the transport is online (field fact). */
  get connected(): boolean {
    return this.online && !this.#quiet
  }

  /** What the service serves: `live`, or the last report while the panel is offline. */
  served(live: () => PanelReport): PanelReport {
    return this.#lastReport ?? live()
  }

  /** An event of the panel, on the list now or once the line is back; answers its id, 0 while it waits. */
  send(fields: EventFields): number {
    if (this.online) return this.#log.take(fields, this.#time.now()).event
    this.#late.push({ datetime: withSpace(this.#time.now()), ...fields })
    return 0
  }

  /** The line is cut; the service notes it and keeps `last`. */
  cut(last: PanelReport): void {
    if (!this.online) return
    this.#noteByService(998)
    this.#lastReport = withoutTraits(last)
  }

  /** The line is back; the service notes it, then gets what it missed, with the times at which it happened. */
  restore(): void {
    if (this.online) return
    this.#lastReport = null
    this.#noteByService(999)
    const late = this.#late
    this.#late = []
    for (const fields of late) this.#log.take(fields, this.#time.now())
  }

  /** `connected` says false for so many seconds, although nothing is wrong. */
  flap(seconds: number): void {
    this.#quiet = true
    this.#time.after(seconds, () => {
      this.#quiet = false
    })
  }

  /** Empties the event list. */
  clear(): void {
    this.#log.clear()
  }

  #noteByService(typeId: number): void {
    const service = { appointment: 'IPMP', device_type: 'IPMP', zone: null }
    this.#log.take({ type_id: typeId, ...service }, this.#time.now())
  }
}

import { type EventCounter, type EventFields, EventLog, type LoggedEvent } from '../event-log.ts'
import type { PanelOptions } from '../panel-options.ts'
import { isoSpace, type PanelClock, type WorldTime } from '../world-time.ts'
import { type PanelReport, withoutTraits } from './report.ts'
import { byPriority, isReported } from './report-group.ts'

/**
 * The connection between a panel and the service: the events that arrived, and those that wait while it is
 * offline.
 */
export class Uplink {
  readonly #time: WorldTime
  readonly #clock: PanelClock
  readonly #log: EventLog
  readonly #readOptions: () => PanelOptions
  /** Seconds of each event on its way. */
  #delay = 0
  /** The events on their way: each function lets one arrive now. */
  readonly #onTheWay = new Set<() => void>()
  #delayedEvents: EventFields[] = []
  #lastReport: PanelReport | null = null
  #isFlapping = false
  /** The transports; null for one that the panel does not have. */
  #lines: { broadband: boolean; mobile: boolean | null } = { broadband: true, mobile: null }

  constructor(counter: EventCounter, time: WorldTime, clock: PanelClock, readOptions: () => PanelOptions) {
    this.#readOptions = readOptions
    this.#time = time
    this.#clock = clock
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

  /** The transports that work; null for one that the panel does not have. */
  get lines(): { broadband: boolean; mobile: boolean | null } {
    const { broadband, mobile } = this.#lines
    return { broadband: this.online && broadband, mobile: mobile && this.online }
  }

  /** Gives the panel a mobile transport, or lets a transport work or fail; the panel stays online. */
  setLines(lines: Partial<{ broadband: boolean; mobile: boolean | null }>): void {
    this.#lines = { ...this.#lines, ...lines }
  }

  /** The `connected` of status: also false during a flap, although the transport is online (field fact). */
  get connected(): boolean {
    return this.online && !this.#isFlapping
  }

  /** Returns the report that the service serves: a new one, or the last one while the panel is offline. */
  latestReport(createReport: () => PanelReport): PanelReport {
    return this.#lastReport ?? createReport()
  }

  /**
   * Sends an event of the panel, now, late, when it is online again, or never if the panel does not report its group;
   * returns its id, or 0 while it is not in the list.
   */
  send(fields: EventFields): number {
    if (!isReported(fields.type_id, this.#readOptions().reports)) return 0
    const dated = { datetime: isoSpace(this.#clock.now()), ...fields }
    if (this.#delay === 0) return this.#arrive(dated)
    this.#sendLate(dated)
    return 0
  }

  /** Delays each event by this many seconds, until the returned function is called: then those on their way arrive. */
  delayEvents(seconds: number): () => void {
    this.#delay = seconds
    return () => {
      this.#delay = 0
      for (const arrive of [...this.#onTheWay]) arrive()
    }
  }

  /** Takes the panel offline; the service adds an event and keeps `lastReport`. */
  disconnect(lastReport: PanelReport): void {
    if (!this.online) return
    this.#logByService(998)
    this.#lastReport = withoutTraits(lastReport)
  }

  /**
   * Takes the panel online; the service adds an event, then receives the delayed events by their priority, with
   * their original times.
   */
  reconnect(): void {
    if (this.online) return
    this.#lastReport = null
    this.#logByService(999)
    const delayedEvents = this.#delayedEvents
    this.#delayedEvents = []
    for (const fields of byPriority(delayedEvents)) this.#log.add(fields, this.#time.now())
  }

  /** Sets `connected` to false for this many seconds, although nothing is wrong. */
  flap(seconds: number): void {
    this.#isFlapping = true
    this.#time.after(seconds, () => {
      this.#isFlapping = false
    })
  }

  /** Clears the event list. */
  clear(): void {
    this.#log.clear()
  }

  #sendLate(event: EventFields): void {
    const arrive = () => {
      cancel()
      this.#onTheWay.delete(arrive)
      this.#arrive(event)
    }
    const cancel = this.#time.after(this.#delay, arrive)
    this.#onTheWay.add(arrive)
  }

  /** Adds an event to the list, or lets it wait while the panel is offline; returns its id, or 0 while it waits. */
  #arrive(event: EventFields): number {
    if (this.online) return this.#log.add(event, this.#time.now()).event
    this.#delayedEvents.push(event)
    return 0
  }

  #logByService(typeId: number): void {
    const service = { appointment: 'IPMP', device_type: 'IPMP', zone: null }
    this.#log.add({ type_id: typeId, ...service }, this.#time.now())
  }
}

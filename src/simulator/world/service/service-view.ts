import { second } from '../../../duration.ts'
import type { LoggedEvent } from '../event-log.ts'
import type { WorldTime } from '../world-time.ts'
import type { PanelReport } from './report.ts'

/** The operations that show the state of a panel. */
export const listOperations = ['status', 'alarms', 'alerts', 'troubles', 'devices', 'events'] as const

/** An operation that shows the state of a panel. */
export type ListOperation = (typeof listOperations)[number]

/** Seconds of the simulated world after which an operation shows a change; none for an operation that is not named. */
export type Lag = Readonly<Partial<Record<ListOperation, number>>>

/** All that the service can show of a panel at a moment. */
export interface ShownPanel {
  readonly connected: boolean
  readonly online: boolean
  /** The transports that work; null for a transport that the panel does not have. */
  readonly lines: { readonly broadband: boolean; readonly mobile: boolean | null }
  readonly report: PanelReport
  /** By arrival, oldest first. */
  readonly events: readonly LoggedEvent[]
}

/**
 * The panel as the service shows it: as it is, or, while an operation is late, as it was some seconds ago.
 *
 * Whether real services are late is not measured; people who change their mind at once meet a service that is.
 */
export class ServiceView {
  readonly #time: WorldTime
  readonly #read: () => ShownPanel
  readonly #lags = new Set<Lag>()
  /** The panels as they were, each with the time of the world since which it was so, oldest first; empty while nothing is late. */
  #history: { readonly since: number; readonly shown: ShownPanel }[] = []
  #stopObserving = () => {}

  /** @param read returns the panel as it is */
  constructor(time: WorldTime, read: () => ShownPanel) {
    this.#time = time
    this.#read = read
  }

  /** Returns what an operation shows now. */
  shown(operation: ListOperation): ShownPanel {
    const lag = this.#longest((one) => one[operation] ?? 0)
    if (lag === 0) return this.#read()
    // Somebody may have changed a device without a word.
    this.note()
    const then = this.#time.now() - lag * second
    return (this.#history.findLast(({ since }) => since <= then) ?? this.#history[0])?.shown ?? this.#read()
  }

  /** Notes that the panel may have changed. */
  note(): void {
    if (this.#lags.size > 0) this.#add(this.#time.now())
  }

  /** Shows changes late until the returned function is called; of several lags, the longest one counts. */
  lag(lag: Lag): () => void {
    if (this.#lags.size === 0) {
      // What comes in this moment is a change already.
      this.#add(Number.NEGATIVE_INFINITY)
      this.#stopObserving = this.#time.observe(() => this.note())
    }
    this.#lags.add(lag)
    return () => {
      this.#lags.delete(lag)
      if (this.#lags.size > 0) return
      this.#stopObserving()
      this.#history = []
    }
  }

  #add(since: number): void {
    this.#history = [
      ...this.#history.filter((before) => before.since < since),
      { since, shown: copyOf(this.#read()) },
    ]
    const oldest = since - this.#longest((one) => Math.max(0, ...Object.values(one))) * second
    const first = this.#history.findLastIndex((before) => before.since <= oldest)
    if (first > 0) this.#history.splice(0, first)
  }

  #longest(secondsOf: (lag: Lag) => number): number {
    return Math.max(0, ...Array.from(this.#lags, secondsOf))
  }
}

function copyOf(shown: ShownPanel): ShownPanel {
  // A report copies its devices when they are read first.
  void shown.report.devices
  return { ...shown, events: [...shown.events] }
}

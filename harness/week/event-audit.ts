import type { DeliveredEvent } from '../../src/panel/events/event-delivery.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

type SimulatedPanel = Simulator['world']['panels'][number]
type Listed = SimulatedPanel['events'][number]

/** What was wrong with the telling of events, and how much was right; the contract promises four times 0. */
export interface EventFigures {
  told: number
  /** Told again and flagged so: what a kill or a deploy may cost. */
  redelivered: number
  lost: number
  /** Told again without a flag. */
  repeated: number
  /** Told and never happened. */
  invented: number
  /** Gaps that were told and were none, or were one and were not told. */
  wrongGaps: number
  gaps: number
}

/** Where a panel's ids stand when it is new; services count through all their panels (field fact). */
const firstId = 280_000_000

/** What one event node was told. */
interface Told {
  names: Set<string>
  gaps: number
  expectedGaps: number
}

/**
 * Keeps the books of one panel's events: what happened, what the service's list showed, and what each node was told.
 *
 * It also gives events their ids and local times, since a simulated panel neither starts its ids again nor keeps
 * summer time.
 */
export class EventAudit {
  readonly figures: EventFigures = {
    told: 0,
    redelivered: 0,
    lost: 0,
    repeated: 0,
    invented: 0,
    wrongGaps: 0,
    gaps: 0,
  }
  readonly #panel: SimulatedPanel
  readonly #localTime: (time: number) => string
  #taken = new Set<Listed>()
  #happened = new Set<string>()
  #shown = new Set<string>()
  readonly #nodes = new Map<string, Told>()
  #lastId = firstId

  /** @param localTime the panel's own time of a time in milliseconds since 1970, as `YYYY-MM-DD HH:MM:SS` */
  constructor(panel: SimulatedPanel, localTime: (time: number) => string) {
    this.#panel = panel
    this.#localTime = localTime
  }

  /** Takes what is new on the list into the books; to be called before anybody can have read the list. */
  takeStock(): void {
    const { events } = this.#panel
    if (events.length === 0 || this.#taken.has(events[events.length - 1] as Listed)) return
    for (const entry of events) {
      if (this.#taken.has(entry)) continue
      this.#lastId += 1
      entry.event = this.#lastId
      entry.datetime = this.#localTime(Date.parse(`${entry.datetime.replace(' ', 'T')}Z`))
      this.#happened.add(nameOf(entry))
    }
    this.#taken = new Set(events)
  }

  /** The panel was reset: its ids begin again. */
  startIdsAgain(): void {
    this.#lastId = 0
  }

  /** A node was told of an event. */
  hear(node: string, { event, key, redelivered }: DeliveredEvent): void {
    const { figures } = this
    const { names } = this.#told(node)
    const name = nameOf(event)
    figures.told += 1
    if (!this.#happened.has(name) || !key.endsWith(name)) figures.invented += 1
    if (redelivered) figures.redelivered += 1
    else if (names.has(name)) figures.repeated += 1
    names.add(name)
  }

  hearOfGap(node: string): void {
    this.#told(node).gaps += 1
    this.figures.gaps += 1
  }

  /** The list was read as it now is, and the nodes have been told: each must know all of it. */
  settle(nodes: readonly string[]): void {
    const list = this.#panel.events.map(nameOf)
    const isGap = list.length > 0 && this.#shown.size > 0 && !list.some((name) => this.#shown.has(name))
    for (const name of list) this.#shown.add(name)
    for (const node of nodes) {
      const told = this.#told(node)
      if (isGap) told.expectedGaps += 1
      for (const name of list) {
        if (told.names.has(name)) continue
        this.figures.lost += 1
        told.names.add(name)
      }
    }
  }

  /** Closes the books of a time: what is off the list is forgotten, so that they do not grow. */
  close(): void {
    const list = this.#panel.events.map(nameOf)
    const listed = (names: Set<string>) => new Set(list.filter((name) => names.has(name)))
    this.#happened = listed(this.#happened)
    this.#shown = listed(this.#shown)
    for (const told of this.#nodes.values()) {
      this.figures.wrongGaps += Math.abs(told.gaps - told.expectedGaps)
      told.names = listed(told.names)
      told.gaps = 0
      told.expectedGaps = 0
    }
  }

  #told(node: string): Told {
    const known = this.#nodes.get(node)
    if (known !== undefined) return known
    const told = { names: new Set<string>(), gaps: 0, expectedGaps: 0 }
    this.#nodes.set(node, told)
    return told
  }
}

/** What tells an event from all others of its panel, and what its key ends with. */
function nameOf({
  event,
  type_id,
  datetime,
}: Pick<DeliveredEvent['event'], 'event' | 'type_id' | 'datetime'>): string {
  return `${event}-${type_id}-${datetime}`
}

import type { DeliveredEvent } from '../../src/panel/events/subscription.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

type SimulatedPanel = Simulator['world']['panels'][number]
type Listed = SimulatedPanel['events'][number]

/** The result of an event audit; the contract promises 0 for the first four errors. */
export interface EventCounts {
  told: number
  /** Repeated with the flag `redelivered`, which a kill or a deploy may cause. */
  redelivered: number
  lost: number
  /** Repeated without the flag. */
  repeated: number
  /** Delivered, but never happened. */
  invented: number
  /** Reported gaps that did not exist, and gaps that were not reported. */
  wrongGaps: number
  gaps: number
}

/** The first id of a new panel; services number the events of all panels together (field fact). */
const firstId = 280_000_000

/** The deliveries of one event node. */
interface Told {
  names: Set<string>
  gaps: number
  expectedGaps: number
}

/**
 * Records the events of one panel: those that happened, those in the list of the service, and those delivered to each
 * node.
 *
 * It also assigns ids and local times, because a simulated panel neither restarts its ids nor knows daylight saving
 * time.
 */
export class EventAudit {
  readonly figures: EventCounts = {
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

  /** @param localTime converts milliseconds since 1970 to the local time of the panel, `YYYY-MM-DD HH:MM:SS` */
  constructor(panel: SimulatedPanel, localTime: (time: number) => string) {
    this.#panel = panel
    this.#localTime = localTime
  }

  /** Records the new events of the list; call it before a client can read the list. */
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

  /** Restarts the ids, as a reset of the panel does. */
  startIdsAgain(): void {
    this.#lastId = 0
  }

  /** Records the delivery of an event to a node. */
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

  /** Checks that the nodes know all events of the current list, which was just delivered. */
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

  /** Forgets the events that are not in the list any more, so that memory does not grow. */
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

/** Returns the identity of an event within its panel, with which its key ends. */
function nameOf({
  event,
  type_id,
  datetime,
}: Pick<DeliveredEvent['event'], 'event' | 'type_id' | 'datetime'>): string {
  return `${event}-${type_id}-${datetime}`
}

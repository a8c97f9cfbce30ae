import type { Simulator } from '../../src/simulator/simulator.ts'
import type { MessageSink } from './message-sink.ts'

type Panel = Simulator['world']['panels'][number]

/** The service's list shows 60 events: as many as may pile up while nobody looks, and some to spare. */
const mostWaiting = 40

/** Events that keep coming at a simulated panel, and the account of what became of them. */
export class EventLoad {
  readonly #panel: Panel
  readonly #sink: MessageSink
  readonly #node: string
  readonly #happened: number[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param node the node whose messages are counted at the sink */
  constructor(panel: Panel, sink: MessageSink, node: string) {
    this.#panel = panel
    this.#sink = sink
    this.#node = node
  }

  /** Ids of all events so far. */
  get happened(): readonly number[] {
    return this.#happened
  }

  /** Lets events happen from now on, as long as the list can show them all. */
  start(every = 60): void {
    this.#timer = setInterval(() => {
      if (this.#happened.length - this.told.size < mostWaiting) this.happen()
    }, every)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Lets one event happen; the answer is its id. */
  happen(): number {
    this.#panel.addEvents(1)
    const id = this.#panel.events.at(-1)?.event ?? Number.NaN
    this.#happened.push(id)
    return id
  }

  /** Ids of the events that were told. */
  get told(): Set<number> {
    return new Set(this.#messages().map(({ payload }) => payload.id))
  }

  /** Waits until everything that happened so far was told. */
  async settled(): Promise<void> {
    const count = this.#happened.length
    await this.#sink.until(`all ${count} events`, () => this.told.size >= count)
  }

  /** Events that no message told of. */
  get lost(): number[] {
    const { told } = this
    return this.#happened.filter((id) => !told.has(id))
  }

  /** Events that were told again in a message that does not say so. */
  get repeatedUnflagged(): number[] {
    const seen = new Set<number>()
    return this.#messages().flatMap(({ payload, redelivered }) => {
      const isRepeat = seen.has(payload.id)
      seen.add(payload.id)
      return isRepeat && redelivered !== true ? [payload.id] : []
    })
  }

  /** Events whose message says that it may be a repeat. */
  get flagged(): number[] {
    return this.#messages().flatMap(({ payload, redelivered }) => (redelivered === true ? [payload.id] : []))
  }

  /** Topics of messages that are about no event: gaps. */
  get gaps(): string[] {
    return this.#sink
      .from(this.#node)
      .map(({ topic }) => topic)
      .filter((topic) => !topic.includes('/event/'))
  }

  #messages() {
    return this.#sink.from(this.#node).filter(({ topic }) => topic.includes('/event/'))
  }
}

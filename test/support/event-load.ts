import type { Simulator } from '../../src/simulator/simulator.ts'
import type { MessageSink } from './message-sink.ts'

type Panel = Simulator['world']['panels'][number]

/** What became of the events; all of it 0 is what the contract promises. */
export interface Verdict {
  /** Events that no message told of. */
  lost: number
  /** Messages that tell an event again and do not say so. */
  repeatedUnflagged: number
  /** Messages about a gap. */
  gaps: number
}

/** Events that keep coming at a simulated panel, and the count of what became of them. */
export class EventLoad {
  readonly #panel: Panel
  readonly #sink: MessageSink
  readonly #node: string
  readonly #happened = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  /** @param node the node whose messages are counted at the sink */
  constructor(panel: Panel, sink: MessageSink, node: string) {
    this.#panel = panel
    this.#sink = sink
    this.#node = node
  }

  /** Lets an event happen every so many milliseconds, and stops by itself after the last of so many. */
  start({ every, most }: { every: number; most: number }): void {
    this.stop()
    let left = most
    this.#timer = setInterval(() => {
      this.happen()
      left -= 1
      if (left === 0) this.stop()
    }, every)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Lets events happen now, all in one second. */
  happen(count = 1): void {
    this.#panel.addEvents(count)
    for (const { event } of this.#panel.events.slice(-count)) this.#happened.add(event)
  }

  /** How many different events were told. */
  get told(): number {
    return new Set(this.#messages().map(({ payload }) => payload.id)).size
  }

  /** Waits until an event is told that was not told before. */
  async oneMore(): Promise<void> {
    const before = this.told
    await this.#sink.until('a new event', () => this.told > before)
  }

  /** Waits until everything that happened so far was told, and that was all that came of it. */
  async settled(): Promise<void> {
    await this.#toldAll()
    // A repeat of the others would come before this one.
    this.happen()
    await this.#toldAll()
  }

  get verdict(): Verdict {
    const messages = this.#messages()
    const seen = new Set<number>()
    let repeatedUnflagged = 0
    for (const { payload, redelivered } of messages) {
      if (seen.has(payload.id) && redelivered !== true) repeatedUnflagged += 1
      seen.add(payload.id)
    }
    return {
      lost: [...this.#happened].filter((id) => !seen.has(id)).length,
      repeatedUnflagged,
      gaps: this.#sink.from(this.#node).length - messages.length,
    }
  }

  /** How many messages say that they may be a repeat. */
  get flagged(): number {
    return this.#messages().filter(({ redelivered }) => redelivered === true).length
  }

  async #toldAll(): Promise<void> {
    const count = this.#happened.size
    await this.#sink
      .until(`all ${count} events`, () => this.told >= count, 10_000)
      // What is lost is counted in the verdict.
      .catch(() => {})
  }

  #messages() {
    return this.#sink.from(this.#node).filter(({ topic }) => topic.includes('/event/'))
  }
}

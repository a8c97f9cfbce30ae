import type { QueueAddOptions } from 'p-queue'

/** A call as p-queue hands it over. */
type Run = () => Promise<unknown>

interface Waiting {
  /** p-queue's own name for the call. */
  id: string | undefined
  run: Run
}

/** How a call stands in line: calls of different panels take turns. */
export interface TurnOptions extends QueueAddOptions {
  /** Whose turn it is; calls without a panel share one. */
  panel?: string
}

/**
 * A queue in which the panels of an account take turns, each panel's own calls first come, first served.
 *
 * p-queue's own queue would put 200 waiting calls of one panel before the first of another.
 */
export class Turns {
  readonly #lines = new Map<string, Waiting[]>()
  size = 0

  enqueue(run: Run, { panel = '', id }: Partial<TurnOptions> = {}): void {
    const line = this.#lines.get(panel)
    if (line === undefined) this.#lines.set(panel, [{ id, run }])
    else line.push({ id, run })
    this.size += 1
  }

  dequeue(): Run | undefined {
    const next = this.#lines.entries().next()
    if (next.done) return undefined
    const [panel, line] = next.value
    const run = line.shift()?.run
    // Deleted and set again, the panel stands at the end of the map's order: its next turn is the last.
    this.#lines.delete(panel)
    if (line.length > 0) this.#lines.set(panel, line)
    this.size -= 1
    return run
  }

  /** All waiting calls; p-queue filters by options that we do not use. */
  filter(): Run[] {
    return [...this.#lines.values()].flat().map(({ run }) => run)
  }

  /** Takes a call out of line, as p-queue asks when its signal is aborted: by id, for a queue that is not its own. */
  remove(idOrRun: string | Run): void {
    for (const [panel, line] of this.#lines) {
      const place = line.findIndex(({ id, run }) => id === idOrRun || run === idOrRun)
      if (place < 0) continue
      line.splice(place, 1)
      this.size -= 1
      if (line.length === 0) this.#lines.delete(panel)
      return
    }
  }

  /** Priorities are not used: the urgent lane is a queue of its own. */
  setPriority(): void {}
}

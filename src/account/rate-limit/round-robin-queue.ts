import type { QueueAddOptions } from 'p-queue'

/** A call in the form that p-queue passes. */
type Run = () => Promise<unknown>

interface Waiting {
  /** The id that p-queue gives the call. */
  id: string | undefined
  run: Run
}

/** The queue options of a call: calls of different panels take turns. */
export interface RoundRobinOptions extends QueueAddOptions {
  /** The panel that takes its turn; calls without a panel share one turn. */
  panel?: string | undefined
}

/**
 * A queue in which the panels of an account take turns; the calls of each panel are first in, first out.
 *
 * p-queue's own queue would run 200 waiting calls of one panel before the first of another.
 */
export class RoundRobinQueue {
  readonly #lines = new Map<string, Waiting[]>()
  size = 0

  enqueue(run: Run, { panel = '', id }: Partial<RoundRobinOptions> = {}): void {
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
    // Deleted and set again, the panel moves to the end of the map, so its next turn comes last.
    this.#lines.delete(panel)
    if (line.length > 0) this.#lines.set(panel, line)
    this.size -= 1
    return run
  }

  /** Returns all waiting calls; p-queue filters by options that we do not use. */
  filter(): Run[] {
    return [...this.#lines.values()].flat().map(({ run }) => run)
  }

  /** Removes an aborted call. p-queue identifies it by id if the queue class is not its own. */
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

  /** Does nothing: priorities are not used, because the urgent lane is a separate queue. */
  setPriority(): void {}
}

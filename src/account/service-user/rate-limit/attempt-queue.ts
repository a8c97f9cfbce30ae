import type { QueueAddOptions } from 'p-queue'

/** A call in the form that p-queue passes. */
type Run = () => Promise<unknown>

interface Waiting {
  /** The id that p-queue gives the call. */
  id: string | undefined
  run: Run
}

/** The wish of a poll that becomes more urgent with the age of what is known. */
export interface PollDue {
  /** The importance of the resource, in relation to others. */
  readonly weight: number
  /** Milliseconds between two answers that are wished for. */
  readonly targetMs: number
  /** The time of the latest answer of the resource, in milliseconds of the monotonic clock; -Infinity before the first. */
  readonly since: number
}

/** The queue options of a call: calls of different panels take turns. */
export interface AttemptOptions extends QueueAddOptions {
  /** The panel that takes its turn; calls without a panel share one turn. */
  panel?: string | undefined
  /** 0 or a small integer: calls with a higher one go first, whatever the turns are. */
  priority?: number
}

/**
 * A queue in which the panels of an account take turns; the calls of each panel are first in, first out. Each priority
 * has turns of its own.
 *
 * p-queue's own queue would run 200 waiting calls of one panel before the first of another.
 */
export class AttemptQueue {
  /** The lines of the panels, by priority. */
  readonly #turns: Map<string, Waiting[]>[] = []
  size = 0

  enqueue(run: Run, { panel = '', priority = 0, id }: Partial<AttemptOptions> = {}): void {
    while (this.#turns.length <= priority) this.#turns.push(new Map())
    const lines = this.#turns[priority]
    const line = lines?.get(panel)
    if (line === undefined) lines?.set(panel, [{ id, run }])
    else line.push({ id, run })
    this.size += 1
  }

  dequeue(): Run | undefined {
    const lines = this.#turns.findLast(({ size }) => size > 0)
    const next = lines?.entries().next()
    if (lines === undefined || next === undefined || next.done) return undefined
    const [panel, line] = next.value
    const run = line.shift()?.run
    // Deleted and set again, the panel moves to the end of the map, so its next turn comes last.
    lines.delete(panel)
    if (line.length > 0) lines.set(panel, line)
    this.size -= 1
    return run
  }

  /** Returns all waiting calls; p-queue filters by options that we do not use. */
  filter(): Run[] {
    return this.#turns.flatMap((lines) => [...lines.values()].flat()).map(({ run }) => run)
  }

  /** Removes an aborted call. p-queue identifies it by id if the queue class is not its own. */
  remove(idOrRun: string | Run): void {
    for (const lines of this.#turns) {
      for (const [panel, line] of lines) {
        const place = line.findIndex(({ id, run }) => id === idOrRun || run === idOrRun)
        if (place < 0) continue
        line.splice(place, 1)
        this.size -= 1
        if (line.length === 0) lines.delete(panel)
        return
      }
    }
  }

  /** Does nothing: the priority of a call never changes. */
  setPriority(): void {}
}

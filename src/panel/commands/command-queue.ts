import type { Account } from '../../account/account.ts'
import type { Clock } from '../../clock.ts'
import { closedError } from '../../service/error.ts'
import { type Command, failure, isDisarm, undoes } from './command.ts'

/** Milliseconds for which a disarm waits for the command before it. */
const maxWait = 5000

/** The command queues of an account's panels, by serial. */
const lines = new WeakMap<Account, Map<string, CommandQueue>>()

/**
 * Returns the command queue of a panel. Config nodes of the same panel share it: a disarm through one of them
 * cancels arming commands through all of them.
 */
export function queueOf(account: Account, serial: string): CommandQueue {
  const known = lines.get(account) ?? new Map<string, CommandQueue>()
  const line = known.get(serial) ?? new CommandQueue(account.clock)
  lines.set(account, known.set(serial, line))
  return line
}

/** Returns the error for an arming command that is not sent any more. */
const undone = () =>
  failure('COMMAND_FAILED', 'Not sent: a later disarm came before it was sent.', 'Replaced')

/** A command in the queue, or one that is running. */
interface Place {
  command: Command
  /** The arrival of the command: milliseconds of the monotonic clock. */
  since: number
  recall: AbortController
  begin(): void
}

/**
 * The commands to one panel, executed one after another: a panel drops a command if the next one comes too
 * soon.
 *
 * A disarm goes before all other commands, the newest disarm first, and does not wait long even for a running
 * one. It cancels the arming commands that it undoes, unless they are already sent.
 */
export class CommandQueue {
  readonly #clock: Clock
  #waiting: Place[] = []
  readonly #running = new Set<Place>()
  /** The start of the latest command. */
  #begunAt = Number.NEGATIVE_INFINITY
  #cancelTimer = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `work` when it is the command's turn.
   * @param signal cancels the command
   * @param work receives a signal that cancels the command as long as it is not sent; its reason is the error
   * to fail with
   * @throws the error of `work`; KeyholderError CLOSED or COMMAND_FAILED if the command was canceled before
   * its turn
   */
  async run<T>(command: Command, signal: AbortSignal, work: (recall: AbortSignal) => Promise<T>): Promise<T> {
    const recall = new AbortController()
    const leave = () => recall.abort(closedError())
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    const place: Place = { command, since: this.#clock.monotonic(), recall, begin: () => {} }
    try {
      for (const earlier of [...this.#waiting, ...this.#running]) {
        if (undoes(command, earlier.command)) earlier.recall.abort(undone())
      }
      await this.#turn(place)
      return await work(recall.signal)
    } finally {
      signal.removeEventListener('abort', leave)
      this.#running.delete(place)
      this.#next()
    }
  }

  #turn(place: Place): Promise<void> {
    const { signal } = place.recall
    return new Promise((resolve, reject) => {
      const takenBack = () => {
        this.#waiting = this.#waiting.filter((other) => other !== place)
        reject(signal.reason)
      }
      if (signal.aborted) return takenBack()
      signal.addEventListener('abort', takenBack)
      place.begin = () => {
        signal.removeEventListener('abort', takenBack)
        resolve()
      }
      this.#waiting.push(place)
      this.#next()
    })
  }

  /** Starts the next command, now or when it has waited long enough. */
  #next(): void {
    this.#cancelTimer()
    const disarms = this.#waiting.filter(({ command }) => isDisarm(command))
    const next = disarms.at(-1) ?? this.#waiting[0]
    if (next === undefined) return
    const [longest] = disarms
    const now = this.#clock.monotonic()
    const wait = longest && Math.max(longest.since, this.#begunAt) + maxWait - now
    if (this.#running.size === 0 || (wait !== undefined && wait <= 0)) {
      this.#waiting = this.#waiting.filter((other) => other !== next)
      this.#running.add(next)
      this.#begunAt = now
      next.begin()
      // A further disarm does not wait for the end of this command either.
      this.#next()
    } else if (wait !== undefined) {
      this.#cancelTimer = this.#clock.after(wait, () => this.#next())
    }
  }
}

import type { Account } from '../../account/account.ts'
import type { Clock } from '../../clock.ts'
import { KeyholderError } from '../../service/error.ts'
import { type Command, isDisarm, undoes } from './command.ts'
import { failure } from './failure.ts'

/** Milliseconds for which a disarm waits for the command before it. */
const patience = 5000

/** The lines of an account's panels, by serial. */
const lines = new WeakMap<Account, Map<string, CommandLine>>()

/** The line of a panel. Config nodes of the same panel share one: a disarm through one takes back armings through all. */
export function lineOf(account: Account, serial: string): CommandLine {
  const known = lines.get(account) ?? new Map<string, CommandLine>()
  const line = known.get(serial) ?? new CommandLine(account.clock)
  lines.set(account, known.set(serial, line))
  return line
}

/** Why an arming is not sent any more. */
const undone = () =>
  failure('COMMAND_FAILED', 'Not sent: a later disarm came before it was sent.', 'Replaced')

/** A command that waits for its turn, or has it. */
interface Place {
  command: Command
  /** Milliseconds of the monotonic clock. */
  since: number
  recall: AbortController
  begin(): void
}

/**
 * The commands to one panel, one after the other: a panel drops the one before when a further one comes too soon.
 *
 * A disarm goes before all others, the newest first, and does not wait long even for the one that has its turn. An
 * arming that a later disarm undoes is taken back unless it has left already.
 */
export class CommandLine {
  readonly #clock: Clock
  #waiting: Place[] = []
  readonly #running = new Set<Place>()
  /** When the latest one began. */
  #begunAt = Number.NEGATIVE_INFINITY
  #cancelTimer = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Does `work` when the command's turn has come.
   * @param signal takes the command back
   * @param work is given a signal that takes the command back as long as it has not left, with the error to fail with
   * @throws what `work` throws; KeyholderError CLOSED or COMMAND_FAILED where it was taken back before its turn
   */
  async run<T>(command: Command, signal: AbortSignal, work: (recall: AbortSignal) => Promise<T>): Promise<T> {
    const recall = new AbortController()
    const leave = () => recall.abort(new KeyholderError('CLOSED', 'The node was closed.'))
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

  /** Lets the next one begin, now or when it has waited long enough. */
  #next(): void {
    this.#cancelTimer()
    const disarms = this.#waiting.filter(({ command }) => isDisarm(command))
    const next = disarms.at(-1) ?? this.#waiting[0]
    if (next === undefined) return
    const [longest] = disarms
    const now = this.#clock.monotonic()
    const wait = longest && Math.max(longest.since, this.#begunAt) + patience - now
    if (this.#running.size === 0 || (wait !== undefined && wait <= 0)) {
      this.#waiting = this.#waiting.filter((other) => other !== next)
      this.#running.add(next)
      this.#begunAt = now
      next.begin()
      // A further disarm does not wait for the end of this one either.
      this.#next()
    } else if (wait !== undefined) {
      this.#cancelTimer = this.#clock.after(wait, () => this.#next())
    }
  }
}

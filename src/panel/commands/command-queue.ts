import type { Account } from '../../account/account.ts'
import type { AccountRegistry } from '../../account/account-registry.ts'
import type { Clock } from '../../clock.ts'
import { closedError, type KeyholderError } from '../../service/error.ts'
import { type Command, cancels, capitalized, commandError, describeCommand, isDisarm } from './command.ts'
import { OpenEffects } from './open-effects.ts'

/** Milliseconds for which a disarm waits for the command before it. */
const maxWait = 5000

/** The command queues of the panels, by host and serial. */
const queues = new WeakMap<AccountRegistry, Map<string, CommandQueue>>()

/**
 * Returns the command queue of a panel at a service. All config nodes share it, also through different
 * accounts: a disarm through one of them cancels arming commands through all of them.
 */
export function queueOf({ registry, settings, clock }: Account, serial: string): CommandQueue {
  const byPanel = queues.get(registry) ?? new Map<string, CommandQueue>()
  const key = JSON.stringify([new URL(settings.url).host, serial])
  const queue = byPanel.get(key) ?? new CommandQueue(clock)
  queues.set(registry, byPanel.set(key, queue))
  return queue
}

/** Returns the error for an arming command that is not sent any more. */
function replacedError(command: Command): KeyholderError {
  const sentence = `${capitalized(describeCommand(command))} was not sent, because a later disarm canceled it.`
  return commandError('COMMAND_FAILED', sentence, 'Replaced')
}

/** A command in the queue, or one that is running. */
interface QueuedCommand {
  command: Command
  /** The arrival of the command: milliseconds of the monotonic clock. */
  arrivedAt: number
  cancellation: AbortController
  start(): void
}

/**
 * The commands to one panel, executed one after another: a panel drops a command if the next one comes too
 * soon.
 *
 * A disarm goes before all other commands, the newest disarm first, and does not wait long even for a running
 * one. It cancels the arming commands that it undoes, unless they are already sent.
 */
export class CommandQueue {
  readonly openEffects = new OpenEffects()
  readonly #clock: Clock
  #waiting: QueuedCommand[] = []
  readonly #running = new Set<QueuedCommand>()
  /** The start of the latest command. */
  #startedAt = Number.NEGATIVE_INFINITY
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
  async enqueue<T>(
    command: Command,
    signal: AbortSignal,
    work: (cancellation: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const cancellation = new AbortController()
    const leave = () => cancellation.abort(closedError())
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    const queued: QueuedCommand = {
      command,
      arrivedAt: this.#clock.monotonic(),
      cancellation,
      start: () => {},
    }
    try {
      for (const earlier of [...this.#waiting, ...this.#running]) {
        if (cancels(command, earlier.command)) earlier.cancellation.abort(replacedError(earlier.command))
      }
      await this.#waitForTurn(queued)
      return await work(cancellation.signal)
    } finally {
      signal.removeEventListener('abort', leave)
      this.#running.delete(queued)
      this.#startNext()
    }
  }

  #waitForTurn(queued: QueuedCommand): Promise<void> {
    const { signal } = queued.cancellation
    return new Promise((resolve, reject) => {
      const remove = () => {
        this.#waiting = this.#waiting.filter((other) => other !== queued)
        reject(signal.reason)
      }
      if (signal.aborted) return remove()
      signal.addEventListener('abort', remove)
      queued.start = () => {
        signal.removeEventListener('abort', remove)
        resolve()
      }
      this.#waiting.push(queued)
      this.#startNext()
    })
  }

  /** Starts the next command, now or when it has waited long enough. */
  #startNext(): void {
    this.#cancelTimer()
    const disarms = this.#waiting.filter(({ command }) => isDisarm(command))
    const next = disarms.at(-1) ?? this.#waiting[0]
    if (next === undefined) return
    const [oldestDisarm] = disarms
    const now = this.#clock.monotonic()
    const wait = oldestDisarm && Math.max(oldestDisarm.arrivedAt, this.#startedAt) + maxWait - now
    if (this.#running.size === 0 || (wait !== undefined && wait <= 0)) {
      this.#waiting = this.#waiting.filter((other) => other !== next)
      this.#running.add(next)
      this.#startedAt = now
      next.start()
      // A further disarm does not wait for the end of this command either.
      this.#startNext()
    } else if (wait !== undefined) {
      this.#cancelTimer = this.#clock.after(wait, () => this.#startNext())
    }
  }
}

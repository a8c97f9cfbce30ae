import type { Account } from '../../account/account.ts'
import type { AccountRegistry } from '../../account/account-registry.ts'
import type { Clock } from '../../clock.ts'
import { closedError } from '../../service/error.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Command, cancels, isDisarm } from './command.ts'
import {
  type CommandQueue,
  type CommandTurn,
  type CompletedCommand,
  type IncomingCommand,
  maxDisarmWait,
  OpenEffects,
  replacedError,
} from './command-queue.ts'

/** The command queues of the panels, by host and serial. */
const queues = new WeakMap<AccountRegistry, Map<string, LocalCommandQueue>>()

/**
 * Returns the command queue of a panel at a service for this process alone. All config nodes share it, also through different
 * accounts: a disarm through one of them cancels arming commands through all of them.
 */
export function queueOf({ registry, settings, clock }: Account, serial: string): CommandQueue {
  const byPanel = queues.get(registry) ?? new Map<string, LocalCommandQueue>()
  const key = JSON.stringify([new URL(settings.url).host, serial])
  const queue = byPanel.get(key) ?? new LocalCommandQueue(clock)
  queues.set(registry, byPanel.set(key, queue))
  return queue
}

/** A command in the queue, or one that is running. */
interface QueuedCommand {
  command: Command
  /** The arrival of the command: milliseconds of the monotonic clock. */
  arrivedAt: number
  cancellation: AbortController
  start(): void
}

/** The command queue of a process that is alone. */
export class LocalCommandQueue implements CommandQueue {
  readonly #openEffects = new OpenEffects()
  readonly #clock: Clock
  #waiting: QueuedCommand[] = []
  readonly #running = new Set<QueuedCommand>()
  /** The start of the latest command. */
  #startedAt = Number.NEGATIVE_INFINITY
  #cancelTimer = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run(
    { command, signal }: IncomingCommand,
    work: (turn: CommandTurn) => Promise<Snapshot<CompletedCommand>>,
  ): Promise<Snapshot<CompletedCommand>> {
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
      return await work(turnOf(command, cancellation.signal, this.#openEffects))
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
    const wait = oldestDisarm && Math.max(oldestDisarm.arrivedAt, this.#startedAt) + maxDisarmWait - now
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

/** Returns the turn of a command in a process that is alone. */
function turnOf(command: Command, cancellation: AbortSignal, openEffects: OpenEffects): CommandTurn {
  return {
    cancellation,
    mayChange: (other) => openEffects.concern(other),
    beginSending: () => {
      openEffects.noteSent(command)
      return undefined
    },
    maySend: () => true,
    noteOutcome: (outcome) => openEffects.noteOutcome(command, outcome),
  }
}

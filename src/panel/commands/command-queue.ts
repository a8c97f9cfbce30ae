import type { Account } from '../../account/account.ts'
import type { AccountRegistry } from '../../account/account-registry.ts'
import { type Clock, onAbort } from '../../clock.ts'
import { closedError, type KeyholderError } from '../../service/error.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Command, cancels, capitalized, commandError, describeCommand, isDisarm } from './command.ts'
import { type CommandOutcome, type OpenEffect, OpenEffects, type SentCommand } from './open-effects.ts'

/** A zone that the answer to an arming names. */
export interface BypassedZone {
  zone: number
  /** Its name, or else its location; empty if it has neither. */
  name: string
}

/** A command that the panel has executed. */
export interface CompletedCommand {
  /** Milliseconds since the arrival of the command. */
  tookMs: number
  /** True if the panel was so already: nothing was sent, or a disarm that nothing needed. */
  already: boolean
  /**
   * The zones of the partitions that an arming leaves out, whoever has bypassed them; null if the list of devices cannot be
   * read. Absent for all other commands.
   */
  bypassed?: readonly BypassedZone[] | null
  /**
   * The zones that were open when an arming was sent to a panel that arms past them by itself, and leaves out what is open at the
   * end of the exit delay. Absent for all other commands.
   */
  open?: readonly BypassedZone[]
}

/** A command that has just arrived. */
export interface IncomingCommand {
  readonly command: Command
  /** The id of the flow node that it came to; empty if it came from no node. */
  readonly node: string
  /** Cancels the command. */
  readonly signal: AbortSignal
}

/** The turn of a command to be checked, sent and followed. */
export interface CommandTurn {
  /** Cancels the command as long as it is not sent; its reason is the error to fail with. */
  readonly cancellation: AbortSignal

  /** The effects of earlier commands that may still come, or still last. */
  readonly openEffects: readonly OpenEffect[]

  /** Notes that an answer shows what is newer than some of them. */
  noteShown(effects: readonly OpenEffect[]): void

  /**
   * Announces that the command is about to be sent.
   * @throws KeyholderError CLOSED if it is canceled, or the reason why it must not be sent
   */
  beginSending(): Promise<void> | undefined

  /** Returns true if the command may still be sent. Ask right before the first byte of each attempt. */
  maySend(): boolean

  /** Notes the result of a command whose sending was announced. */
  noteOutcome(outcome: CommandOutcome, sent: SentCommand): void
}

/**
 * The commands to one panel, executed one after another: a panel drops a command if the next one comes too
 * soon.
 *
 * A disarm goes before all other commands, the newest disarm first, and does not wait long even for a running
 * one. It cancels the arming commands that it undoes, unless they are already sent.
 */
export interface CommandQueue {
  /**
   * Runs `work` when it is the command's turn. Several processes run it once for a command that came to the same node
   * in several of them.
   * @throws the error of `work`; KeyholderError CLOSED or COMMAND_FAILED if the command was canceled before its turn
   */
  run(
    incoming: IncomingCommand,
    work: (turn: CommandTurn) => Promise<Snapshot<CompletedCommand>>,
  ): Promise<Snapshot<CompletedCommand>>

  /**
   * Calls one of the listeners for a command of another process that was killed before anybody could be told what became of
   * it. Returns a function that ends this. Absent in the queue of one process.
   */
  onOrphan?(listener: OrphanListener): () => void
}

/** Gets a command of a killed process, and true if the panel may have received it. */
export type OrphanListener = (command: Command, mayBeSent: boolean) => void

/** Milliseconds for which a disarm waits for the command before it. */
export const maxDisarmWait = 5000

/** Returns the error for an arming command that is not sent any more. */
export function replacedError(command: Command): KeyholderError {
  const sentence = `${capitalized(describeCommand(command))} was not sent, because a later disarm canceled it.`
  return commandError('COMMAND_FAILED', sentence, 'Replaced')
}

/** Returns a turn for one step of a command: only the command itself has an outcome. */
export function stepOf(turn: CommandTurn): CommandTurn {
  return {
    cancellation: turn.cancellation,
    get openEffects() {
      return turn.openEffects
    },
    noteShown: (effects) => turn.noteShown(effects),
    beginSending: () => turn.beginSending(),
    maySend: () => turn.maySend(),
    noteOutcome: (_outcome, sent) => turn.noteOutcome('failed', sent),
  }
}

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
  readonly #openEffects: OpenEffects
  readonly #clock: Clock
  #waiting: QueuedCommand[] = []
  readonly #running = new Set<QueuedCommand>()
  /** The start of the latest command. */
  #startedAt = Number.NEGATIVE_INFINITY
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#openEffects = new OpenEffects(clock)
  }

  async run(
    { command, signal }: IncomingCommand,
    work: (turn: CommandTurn) => Promise<Snapshot<CompletedCommand>>,
  ): Promise<Snapshot<CompletedCommand>> {
    const cancellation = new AbortController()
    const leave = onAbort(signal, () => cancellation.abort(closedError()))
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
      leave()
      this.#running.delete(queued)
      this.#startNext()
    }
  }

  #waitForTurn(queued: QueuedCommand): Promise<void> {
    const { signal } = queued.cancellation
    return new Promise((resolve, reject) => {
      if (!signal.aborted) this.#waiting.push(queued)
      const stay = onAbort(signal, () => {
        this.#waiting = this.#waiting.filter((other) => other !== queued)
        reject(signal.reason)
      })
      queued.start = () => {
        stay()
        resolve()
      }
      this.#startNext()
    })
  }

  /** Starts the next command, now or when it has waited long enough. */
  #startNext(): void {
    this.#cancelTimer?.()
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
function turnOf(command: Command, cancellation: AbortSignal, effects: OpenEffects): CommandTurn {
  const turn: CommandTurn = {
    cancellation,
    get openEffects() {
      return effects.openFor(turn)
    },
    noteShown: (shown) => effects.noteShown(shown),
    beginSending: () => {
      effects.noteSent(turn, command)
      return undefined
    },
    maySend: () => true,
    noteOutcome: (outcome, sent) => effects.noteOutcome(turn, outcome, sent),
  }
  return turn
}

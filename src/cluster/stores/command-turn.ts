import { type Moment, onAbort } from '../../clock.ts'
import { type Command, isDisarm, notCarriedOut } from '../../panel/commands/command.ts'
import { type CommandTurn, replacedError } from '../../panel/commands/command-queue.ts'
import {
  type CommandOutcome,
  type OpenEffect,
  type SentCommand,
  supersedes,
} from '../../panel/commands/open-effects.ts'
import { asKeyholderError, closedError, type KeyholderError } from '../../service/error.ts'
import { away } from '../redis/redis-error.ts'

/** A command as it is on the server. */
export interface QueuedCommand {
  readonly command: Command
  /** Its number in the queue. */
  readonly id: string
  readonly session: number
  /** The time at which it got its number, in milliseconds of the monotonic clock. */
  readonly enteredAt: number
}

/** The server's answer about a command in the queue. */
export interface QueueAnswer {
  result: string
  id: string
  /** The time at which it was asked. */
  askedAt: Moment
  /** The effects of other commands that are open, by number; only with a turn. */
  effects: ReadonlyMap<string, OpenEffect>
  /** The numbers of effects that are not open any more. */
  over: readonly string[]
}

/** The turn of a command in a queue of several instances, from its arrival to its end. */
export class SharedTurn implements CommandTurn {
  readonly queued: QueuedCommand
  readonly #send: () => Promise<QueueAnswer>
  readonly #isRecent: (askedAt: Moment) => boolean
  readonly #cancellation = new AbortController()
  #state: 'waiting' | 'running' | 'sent' = 'waiting'
  #allowedAt: Moment | undefined
  #effects: ReadonlyMap<string, OpenEffect> = new Map()
  /** The numbers of the effects that an answer has shown, and the numbers of all that were given. */
  readonly #shown = new Set<string>()
  readonly #numbers = new WeakMap<OpenEffect, string>()
  #over: readonly string[] = []
  #outcome: CommandOutcome = 'failed'
  /** The command in the words of the panel, and what showed before it; undefined before it has ended. */
  sent: SentCommand | undefined
  #start = () => {}

  /**
   * @param send notes on the server that the command may be sent from now on
   * @param isRecent returns true if what the server said at this time still applies, whatever happened to it since
   */
  constructor(
    queued: QueuedCommand,
    send: () => Promise<QueueAnswer>,
    isRecent: (askedAt: Moment) => boolean,
  ) {
    this.queued = queued
    this.#send = send
    this.#isRecent = isRecent
  }

  get cancellation(): AbortSignal {
    return this.#cancellation.signal
  }

  /** True until the turn has come. */
  get isWaiting(): boolean {
    return this.#state === 'waiting'
  }

  /** True if the panel may have received the command. */
  get wasSent(): boolean {
    return this.#state === 'sent'
  }

  /** True if the effect of the command may still come, or still lasts, after its end. */
  get staysOpen(): boolean {
    return this.#outcome !== 'failed'
  }

  /** The numbers of the earlier commands whose effects no longer matter after this one. */
  get ended(): string[] {
    const { command } = this.sent ?? this.queued
    const superseded = [...this.#effects]
      .filter(([, effect]) => this.#outcome === 'done' && supersedes(command, effect.command))
      .map(([number]) => number)
    return [...this.#over, ...this.#shown, ...superseded]
  }

  get openEffects(): readonly OpenEffect[] {
    const open: OpenEffect[] = []
    for (const [number, effect] of this.#effects) {
      this.#numbers.set(effect, number)
      if (!this.#shown.has(number)) open.push(effect)
    }
    return open
  }

  noteShown(effects: readonly OpenEffect[]): void {
    for (const effect of effects) this.#shown.add(this.#numbers.get(effect) ?? '')
  }

  /** Cancels the command, as long as it is not sent. */
  cancel(reason: KeyholderError): void {
    this.#cancellation.abort(reason)
  }

  /** Resolves when it is the command's turn. @throws the reason of a cancellation before */
  waitForStart(): Promise<void> {
    const { signal } = this.#cancellation
    return new Promise((resolve, reject) => {
      const stay = onAbort(signal, () => reject(signal.reason))
      this.#start = () => {
        stay()
        resolve()
      }
      if (!this.isWaiting) this.#start()
    })
  }

  /** Follows what the server has said. */
  note({ result, askedAt, effects, over }: QueueAnswer): void {
    const { command } = this.queued
    if (result === 'replaced') this.cancel(replacedError(command))
    if (result === 'gone') this.cancel(notCarriedOut(command, away('the server has forgotten the command')))
    if (result !== 'turn') return
    this.#allowedAt = askedAt
    this.#effects = effects
    this.#over = over
    if (this.isWaiting) {
      this.#state = 'running'
      this.#start()
    }
  }

  async beginSending(): Promise<void> {
    const answer = await this.#send()
    this.note(answer)
    // A step before may have been sent.
    if (answer.result === 'turn') this.#state = 'running'
    if (this.cancellation.aborted) throw closedError()
  }

  maySend(): boolean {
    const at = this.cancellation.aborted ? undefined : this.#allowedAt
    const isAllowed = at !== undefined && this.#isRecent(at)
    if (isAllowed) this.#state = 'sent'
    return isAllowed
  }

  noteOutcome(outcome: CommandOutcome, sent: SentCommand): void {
    this.#outcome = outcome
    this.sent = sent
  }
}

/** Returns what a command is for the order of a queue. */
export function kindOf(command: Command): 'arms' | 'disarms' | 'other' {
  if (isDisarm(command)) return 'disarms'
  return command.action === 'set_state' ? 'arms' : 'other'
}

/**
 * Returns how a command ended for the other instances: another one may still send what was stopped before it was sent.
 */
export function endOf(turn: SharedTurn, thrown: unknown): 'ended' | 'left' | 'lost' {
  const { code } = asKeyholderError(thrown)
  if (code === 'CLOSED') return turn.wasSent ? 'lost' : 'left'
  return code === 'SHARED_STATE_AWAY' && !turn.wasSent ? 'left' : 'ended'
}

import { type Moment, onAbort } from '../../clock.ts'
import { type Command, isDisarm, notCarriedOut, type SetState } from '../../panel/commands/command.ts'
import {
  type CommandOutcome,
  type CommandTurn,
  mayChange,
  replacedError,
  staysOpen,
  supersedes,
} from '../../panel/commands/command-queue.ts'
import { asKeyholderError, closedError, type KeyholderError } from '../../service/error.ts'
import { away } from '../redis/redis-error.ts'

/** A command as it is on the server. */
export interface QueuedCommand {
  readonly command: Command
  /** Its number in the queue. */
  readonly id: string
  readonly session: number
}

/** The server's answer about a command in the queue. */
export interface QueueAnswer {
  result: string
  id: string
  /** The time at which it was asked. */
  askedAt: Moment
  /** The other commands whose effect may still come or still lasts, by number; only with a turn. */
  effects: ReadonlyMap<string, Command>
}

/** The turn of a command in a queue of several instances, from its arrival to its end. */
export class SharedTurn implements CommandTurn {
  readonly queued: QueuedCommand
  readonly #send: () => Promise<QueueAnswer>
  readonly #isRecent: (askedAt: Moment) => boolean
  readonly #cancellation = new AbortController()
  #state: 'waiting' | 'running' | 'sent' = 'waiting'
  #allowedAt: Moment | undefined
  #effects: ReadonlyMap<string, Command> = new Map()
  #outcome: CommandOutcome = 'failed'
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
    return staysOpen(this.queued.command, this.#outcome)
  }

  /** The numbers of the earlier commands whose effects no longer matter after this one. */
  get superseded(): string[] {
    if (this.#outcome === 'failed') return []
    const { command } = this.queued
    return [...this.#effects].filter(([, earlier]) => supersedes(command, earlier)).map(([id]) => id)
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
  note({ result, askedAt, effects }: QueueAnswer): void {
    const { command } = this.queued
    if (result === 'replaced') this.cancel(replacedError(command))
    if (result === 'gone') this.cancel(notCarriedOut(command, away('the server has forgotten the command')))
    if (result !== 'turn') return
    this.#allowedAt = askedAt
    this.#effects = effects
    if (this.isWaiting) {
      this.#state = 'running'
      this.#start()
    }
  }

  mayChange(command: SetState): boolean {
    return mayChange(command, [...this.#effects.values()])
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

  noteOutcome(outcome: CommandOutcome): void {
    this.#outcome = outcome
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

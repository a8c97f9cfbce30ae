import type { KeyholderError } from '../../service/error.ts'
import { wholePanel } from '../../service/responses/status.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  type Command,
  capitalized,
  commandError,
  describeCommand,
  isDisarm,
  type SetState,
} from './command.ts'

/** The result of a command that was sent. */
export type CommandOutcome = 'done' | 'failed' | 'unknown'

/**
 * The commands of flows to a panel whose effect may still come or still lasts, whatever state the panel shows:
 * those in progress, those with an unknown result, and a siren that was turned on.
 */
export class OpenEffects {
  readonly #inProgress = new Set<Command>()
  #afterwards: readonly Command[] = []

  /** Notes a command that is being sent. */
  noteSent(command: Command): void {
    this.#inProgress.add(command)
  }

  /** Notes the result of a command that was sent. */
  noteOutcome(command: Command, outcome: CommandOutcome): void {
    this.#inProgress.delete(command)
    if (outcome === 'failed') return
    this.#afterwards = this.#afterwards.filter((earlier) => !supersedes(command, earlier))
    if (staysOpen(command, outcome)) this.#afterwards = [...this.#afterwards, command]
  }

  /** Returns true if the panel may be about to leave the state, or if a disarm would silence the siren. */
  concern(command: SetState): boolean {
    return mayChange(command, [...this.#inProgress, ...this.#afterwards])
  }
}

/** Returns true for a command whose effect may still come, or still lasts, after it has ended with this outcome. */
export function staysOpen(command: Command, outcome: CommandOutcome): boolean {
  if (outcome === 'failed') return false
  return command.action === 'siren_on' || (command.action === 'set_state' && outcome === 'unknown')
}

/** Returns true if one of the open commands may change the state that a command requests, or if a disarm would silence the siren. */
export function mayChange(command: SetState, open: readonly Command[]): boolean {
  return open.some((earlier) =>
    earlier.action === 'set_state'
      ? earlier.partition === wholePanel || covers(command, earlier)
      : earlier.action === 'siren_on' && isDisarm(command),
  )
}

/** Returns true if the effect of the earlier command no longer matters after the later one. */
export function supersedes(later: Command, earlier: Command): boolean {
  if (earlier.action === 'set_state') return later.action === 'set_state' && covers(later, earlier)
  return earlier.action === 'siren_on' && (later.action.startsWith('siren') || isDisarm(later))
}

function covers({ partition }: SetState, other: SetState): boolean {
  return partition === wholePanel || partition === other.partition
}

/** A zone that was bypassed in order to arm. */
export interface BypassedZone {
  zone: number
  /** Its name, or else its location; empty if it has neither. */
  name: string
}

/** A command that the panel has executed. */
export interface CompletedCommand {
  /** Milliseconds since the arrival of the command. */
  tookMs: number
  /** True if the panel was so already and nothing was sent. */
  already: boolean
  /** The zones that were bypassed in order to arm; absent if the command does not allow it. */
  bypassed?: readonly BypassedZone[]
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

  /** Returns true if the panel may be about to leave the state, or if a disarm would silence the siren. */
  mayChange(command: SetState): boolean

  /**
   * Announces that the command is about to be sent.
   * @throws KeyholderError CLOSED if it is canceled, or the reason why it must not be sent
   */
  beginSending(): Promise<void> | undefined

  /** Returns true if the command may still be sent. Ask right before the first byte of each attempt. */
  maySend(): boolean

  /** Notes the result of a command whose sending was announced. */
  noteOutcome(outcome: CommandOutcome): void
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
}

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
    mayChange: (command) => turn.mayChange(command),
    beginSending: () => turn.beginSending(),
    maySend: () => turn.maySend(),
    noteOutcome: () => turn.noteOutcome('failed'),
  }
}

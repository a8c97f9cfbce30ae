import type { KeyholderError } from '../../service/error.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Command, capitalized, commandError, describeCommand, type SetState } from './command.ts'
import type { CommandOutcome } from './open-effects.ts'

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

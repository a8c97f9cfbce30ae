import { asKeyholderError, KeyholderError } from '../../service/error.ts'
import { codesThatAre, type ErrorCode } from '../../service/error-codes.ts'
import { wholePanel } from '../../service/responses/status.ts'

/** The states that a flow can request of any panel, in any vocabulary. */
const commonStates = ['AWAY', 'HOME', 'DISARM'] as const

/** One of the states that a flow can request of any panel. */
type CommonState = (typeof commonStates)[number]

/** Returns true if a state is one of those that a flow can request of any panel. */
export function isCommon(state: string): state is CommonState {
  return commonStates.some((name) => name === state)
}

/** Arm or disarm. */
export interface SetState {
  action: 'set_state'
  /** -1 is the whole panel. */
  partition: number
  /** A common state, or another one that the panel's own state sets define. */
  state: string
  /** Words of the panel, such as `NOENTRY`. */
  options: readonly string[]
  /** Open zones are bypassed in order to arm; without it, they are a reason to refuse. */
  openZones?: 'bypass'
}

/** Bypass a zone, or remove the bypass. */
export interface Bypass {
  action: 'bypass'
  /** The device number of the zone. */
  zone: number
  enabled: boolean
}

/** Sound all sirens, or silence them. */
export interface Siren {
  action: 'siren_on' | 'siren_off'
}

/** A command of a flow to a panel. */
export type Command = SetState | Bypass | Siren

/** Returns true for a disarm: it makes the premises safe to enter, so it must not wait for other commands. */
export function isDisarm(command: Command): boolean {
  return command.action === 'set_state' && command.state === 'DISARM'
}

/**
 * Returns true if a disarm undoes the effect of an earlier command, which should then not be sent any more.
 */
export function cancels(disarm: Command, earlier: Command): boolean {
  if (!isDisarm(disarm) || disarm.action !== 'set_state') return false
  if (isDisarm(earlier) || earlier.action !== 'set_state') return false
  const ids = [disarm.partition, earlier.partition]
  return ids.includes(wholePanel) || disarm.partition === earlier.partition
}

/** Returns the name of a command for a sentence. */
export function describeCommand(command: Command): string {
  switch (command.action) {
    case 'set_state': {
      const { state, partition } = command
      return `the command ${state} for ${partition === wholePanel ? 'the whole panel' : `partition ${partition}`}`
    }
    case 'bypass':
      return `the command to ${command.enabled ? 'bypass' : 'end the bypass of'} zone ${command.zone}`
    case 'siren_on':
      return 'the command to turn the siren on'
    case 'siren_off':
      return 'the command to turn the siren off'
  }
}

/** Returns words as the beginning of a sentence. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The reason of a failure after which it is not known whether the panel has executed the command. */
export const unknownOutcome = 'Unknown'

/**
 * Returns a failure with a word for its reason, if there is one. The word also ends the sentence, because
 * Node-RED passes only code and sentence to a Catch node.
 */
export function commandError(code: ErrorCode, sentence: string, reason: string | undefined): KeyholderError {
  if (reason === undefined) return new KeyholderError(code, sentence)
  return new KeyholderError(code, `${sentence} (${reason})`, { reason })
}

/** The codes of refusals by this package: their sentences are about the command. */
const refusalCodes = codesThatAre('of the command')

/**
 * Returns the error for a command that failed because of a request: its sentence may be about the account
 * alone, so that someone could expect the command after the pause.
 */
export function notCarriedOut(command: Command, thrown: unknown): KeyholderError {
  const error = asKeyholderError(thrown)
  const { code, message, status, reason } = error
  if (status === undefined && refusalCodes.includes(code)) return error
  const what = `${capitalized(describeCommand(command))} was not carried out, and the nodes do not repeat it.`
  return new KeyholderError(code, `${what} ${message}`, { status, reason })
}

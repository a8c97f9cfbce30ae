import type { Clock } from '../../clock.ts'
import {
  type Command,
  capitalized,
  commandError,
  describeCommand,
  unknownOutcome,
} from '../../panel/commands/command.ts'
import type { CompletedCommand } from '../../panel/commands/command-queue.ts'
import { noteZonesOfRefusal, zonesOfRefusal } from '../../panel/commands/not-ready.ts'
import type { Snapshot } from '../../panel/snapshot.ts'
import { KeyholderError } from '../../service/error.ts'

/** The outcome of a command. */
export type SharedOutcome = { done: Snapshot<CompletedCommand> } | { error: KeyholderError }

/** A snapshot with the ages of its times: monotonic clocks differ from machine to machine. */
type PackedSnapshot = Pick<Snapshot<CompletedCommand>, 'view' | 'fetchedAt'> & {
  age: number
  sentAge: number
}

interface PackedError extends Pick<KeyholderError, 'code' | 'message'> {
  status?: number | undefined
  reason?: string | undefined
  zones: readonly string[]
}

/** An outcome as another instance understands it. */
export type PackedOutcome = { done: PackedSnapshot } | { error: PackedError }

/** Returns an outcome for another instance. */
export function packOutcome(outcome: SharedOutcome, clock: Clock): PackedOutcome {
  if ('done' in outcome) {
    const { view, fetchedAt, at, sentAt } = outcome.done
    const now = clock.monotonic()
    return { done: { view, fetchedAt, age: now - at, sentAge: now - sentAt } }
  }
  const { code, message, status, reason } = outcome.error
  return { error: { code, message, status, reason, zones: zonesOfRefusal(outcome.error) } }
}

/** Returns the outcome that another instance has packed. */
export function unpackOutcome(outcome: PackedOutcome, clock: Clock): SharedOutcome {
  if ('done' in outcome) {
    const { view, fetchedAt, age, sentAge } = outcome.done
    const now = clock.monotonic()
    const times = { fetchedAt, at: now - age, sentAt: now - sentAge }
    return { done: { view, ...times, validFor: Number.POSITIVE_INFINITY } }
  }
  const { code, message, status, reason, zones } = outcome.error
  const error = new KeyholderError(code, message, { status, reason })
  noteZonesOfRefusal(error, zones)
  return { error }
}

/** Returns the error for a command that has waited too long for its turn. */
export function busyError(command: Command): KeyholderError {
  return new KeyholderError(
    'COMMAND_FAILED',
    `${capitalized(describeCommand(command))} was not sent, because commands before it, perhaps of other instances, took more than a minute. If you still want it, send it again.`,
  )
}

/** Returns the error for a command that another instance may have sent. */
export function unknownElsewhere(command: Command): KeyholderError {
  const sentence = `Another Node-RED instance of the cluster got the same message and may have sent ${describeCommand(command)}. Its result is not known. Look at the panel.`
  return commandError('COMMAND_FAILED', sentence, unknownOutcome)
}

/** Returns the error for a flow that stops while it waits for the outcome at another instance. */
export function leftElsewhere(command: Command): KeyholderError {
  const sentence = `${capitalized(describeCommand(command))} was left to another Node-RED instance of the cluster, because the flow was stopped before the result was known. Look at the panel.`
  return new KeyholderError('CLOSED', sentence, { reason: unknownOutcome })
}

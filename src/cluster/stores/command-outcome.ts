import type { Clock } from '../../clock.ts'
import type { CompletedCommand } from '../../panel/commands/command-queue.ts'
import { noteZonesOfRefusal, zonesOfRefusal } from '../../panel/commands/preconditions.ts'
import type { Snapshot } from '../../panel/snapshot.ts'
import { type ErrorCode, KeyholderError } from '../../service/error.ts'

/** The outcome of a command. */
export type SharedOutcome = { done: Snapshot<CompletedCommand> } | { error: KeyholderError }

/** A snapshot with the ages of its times: monotonic clocks differ from machine to machine. */
interface PackedSnapshot {
  view: CompletedCommand
  fetchedAt: number
  age: number
  sentAge: number
}

interface PackedError {
  code: ErrorCode
  message: string
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
  if (zones.length > 0) noteZonesOfRefusal(error, zones)
  return { error }
}

import { wholePanel } from '../../service/responses/status.ts'
import { type Command, isDisarm, type SetState } from './command.ts'

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

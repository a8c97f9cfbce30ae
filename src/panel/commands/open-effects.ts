import type { Clock } from '../../clock.ts'
import { minute } from '../../duration.ts'
import { wholePanel } from '../../service/responses/status.ts'
import { type Command, isDisarm, type SetState } from './command.ts'

/** The result of a command that was sent. */
export type CommandOutcome = 'done' | 'failed' | 'unknown'

/** The effect of a command of ours that may still come, or still lasts, whatever the panel shows. */
export interface OpenEffect {
  readonly command: Command
  /** The end of the command, in milliseconds of the monotonic clock; undefined while it is in progress. */
  readonly endedAt: number | undefined
  /** The state that the panel showed before the command, as a text: another text is newer. Undefined if it is not known. */
  readonly before: string | undefined
}

/** A command in the words of the panel, and what showed before it. */
export type SentCommand = Pick<OpenEffect, 'command' | 'before'>

/**
 * Milliseconds after the end of a command for which the service may not show its effect yet. Whether real services are that
 * late was not measured.
 */
export const maxLag = minute

/** The effects of the commands of flows to a panel that are open, in a process that is alone; each by its turn. */
export class OpenEffects {
  readonly #clock: Clock
  readonly #effects = new Map<object, OpenEffect>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the effects that are open now, except that of a turn. */
  openFor(turn: object): readonly OpenEffect[] {
    const now = this.#clock.monotonic()
    for (const [other, { command, endedAt }] of this.#effects)
      if (!isOpen(command, now - (endedAt ?? now))) this.#effects.delete(other)
    return [...this.#effects].filter(([other]) => other !== turn).map(([, effect]) => effect)
  }

  /** Notes that the command of a turn is being sent. */
  noteSent(turn: object, command: Command): void {
    this.#effects.set(turn, { command, endedAt: undefined, before: undefined })
  }

  /** Notes the result of the command of a turn, which was sent. */
  noteOutcome(turn: object, outcome: CommandOutcome, sent: SentCommand): void {
    this.#effects.delete(turn)
    if (outcome === 'failed') return
    for (const [other, { command }] of this.#effects)
      if (outcome === 'done' && supersedes(sent.command, command)) this.#effects.delete(other)
    this.#effects.set(turn, { ...sent, endedAt: this.#clock.monotonic() })
  }

  /** Notes that answers show more of the panel than what was before these effects. */
  noteShown(shown: readonly OpenEffect[]): void {
    for (const [turn, effect] of this.#effects) if (shown.includes(effect)) this.#effects.delete(turn)
  }
}

/** Returns true while the effect of a command that ended so many milliseconds ago is open, unless an answer has shown it. */
export function isOpen({ action }: Command, age: number): boolean {
  // No answer shows a siren, which may sound for minutes.
  return age < maxLag || action === 'siren_on'
}

/** Returns true if the effect of the earlier command no longer matters once the later one is done. */
export function supersedes(later: Command, earlier: Command): boolean {
  switch (earlier.action) {
    case 'set_state':
      return later.action === 'set_state' && covers(later, earlier)
    case 'bypass':
      return later.action === 'bypass' && later.zone === earlier.zone
    default:
      return later.action.startsWith('siren') || isDisarm(later)
  }
}

/** Returns true if the effect of the earlier command would be that of the later one, or a part of it. */
export function mayBring(earlier: Command, later: Command): boolean {
  switch (earlier.action) {
    case 'set_state':
      return (
        later.action === 'set_state' &&
        overlap(earlier, later) &&
        earlier.state === later.state &&
        later.options.every((option) => earlier.options.includes(option))
      )
    case 'bypass':
      return later.action === 'bypass' && earlier.zone === later.zone && earlier.enabled === later.enabled
    default:
      return earlier.action === later.action
  }
}

/** Returns true if the effect of the earlier command may end what the later one requests, or would be ended by it unseen. */
export function mayUndo(earlier: Command, later: Command): boolean {
  if (mayBring(earlier, later)) return false
  switch (earlier.action) {
    case 'set_state':
      if (later.action === 'set_state') return overlap(earlier, later)
      // The panel ends a bypass with a disarm.
      return later.action === 'bypass' && later.enabled && isDisarm(earlier)
    case 'bypass':
      return later.action === 'bypass' && earlier.zone === later.zone
    default:
      // A disarm silences the siren.
      return later.action.startsWith('siren') || (earlier.action === 'siren_on' && isDisarm(later))
  }
}

/** Returns the states in which open effects may have brought a partition. */
export function statesBrought(open: readonly OpenEffect[], partition: number): string[] {
  return open.flatMap(({ command }) =>
    command.action === 'set_state' && [wholePanel, partition].includes(command.partition)
      ? [command.state]
      : [],
  )
}

function covers({ partition }: SetState, other: SetState): boolean {
  return partition === wholePanel || partition === other.partition
}

function overlap(one: SetState, other: SetState): boolean {
  return covers(one, other) || covers(other, one)
}

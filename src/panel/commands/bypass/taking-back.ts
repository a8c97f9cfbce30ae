import type { Answer } from '../../../account/answer.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { concerns } from '../../../service/responses/status.ts'
import { findZone } from '../../devices/device.ts'
import { capitalized } from '../command.ts'
import { CommandExecution } from '../command-execution.ts'
import { type BypassedZone, type CommandTurn, stepOf } from '../command-queue.ts'
import { type CommandedPanel, CurrentState, type Situation } from '../current-state.ts'

/** A command that has its turn. */
export interface RunningCommand {
  panel: CommandedPanel
  turn: CommandTurn
  /** Aborted when the flow stops. */
  signal: AbortSignal
}

/** The panel as it is before bypasses are taken back. */
interface Look {
  situation: Situation
  list: Answer<readonly Device[]>
}

/**
 * Takes back the bypasses of an arming that has failed, as far as possible: each once, and proved like every command. A
 * disarm goes first; what is due then waits for turns of its own.
 */
export class TakingBack {
  #due: readonly BypassedZone[]
  readonly #ended: BypassedZone[] = []
  readonly #armed: BypassedZone[] = []
  readonly #left: BypassedZone[] = []

  constructor(zones: readonly BypassedZone[]) {
    this.#due = zones
  }

  /** The zones that are still to be taken back. */
  get due(): readonly BypassedZone[] {
    return this.#due
  }

  /** True if every bypass was taken back. */
  get isComplete(): boolean {
    return this.#due.length + this.#armed.length + this.#left.length === 0
  }

  /** The sentences about what became of the zones. */
  get sentence(): string {
    const armed = this.#armed
    const left = [...this.#left, ...this.#due]
    return [
      ...(this.#ended.length > 0 ? [`The bypass was taken back of ${titlesOf(this.#ended)}.`] : []),
      ...(armed.length > 0 ? [`${areZones(armed)} still bypassed, until the panel is disarmed.`] : []),
      ...(left.length > 0 ? [mayStay(left)] : []),
    ].join(' ')
  }

  /**
   * Takes back all zones, or the first ones, in the turn of a command. Ends early if a disarm waits or the flow stops. Never
   * rejects.
   */
  async run(running: RunningCommand, most = Number.POSITIVE_INFINITY): Promise<void> {
    const { panel, turn, signal } = running
    const look = await lookAt(panel, turn)
    for (const one of this.#due.slice(0, most)) {
      if (turn.cancellation.aborted || signal.aborted) return
      const result = look === undefined ? this.#left : await this.#takeBack(one, look, running)
      if (result === undefined) return
      this.#due = this.#due.filter((other) => other !== one)
      result.push(one)
    }
  }

  /** Takes back a zone. Returns the list to which it belongs now; undefined if a disarm goes first. */
  async #takeBack(
    { zone }: BypassedZone,
    { situation, list }: Look,
    { panel, turn, signal }: RunningCommand,
  ): Promise<BypassedZone[] | undefined> {
    // An armed panel changes no bypass, and ends it with its disarm.
    if (isArmed(findZone(zone, list.value)?.partitions ?? [], situation)) return this.#armed
    const step = new CommandExecution({ action: 'bypass', zone, enabled: false }, panel, stepOf(turn), signal)
    step.noteBefore({ devices: list.value }, list.sentAt)
    return step.sendAndFollow().then(
      () => this.#ended,
      () => (turn.cancellation.aborted && !step.wasSent ? undefined : this.#left),
    )
  }
}

/** Returns the panel as it is now; undefined if that cannot be read. */
function lookAt(panel: CommandedPanel, turn: CommandTurn): Promise<Look | undefined> {
  const now = panel.account.clock.monotonic()
  const state = new CurrentState(panel, turn.cancellation)
  return Promise.all([state.situation(now), state.devices(now)]).then(
    ([{ value: situation }, list]) => ({ situation, list }),
    () => undefined,
  )
}

/** Returns true if one of the partitions of a zone is armed, or in a state of its own. */
export function isArmed(ids: readonly number[], { partitions }: Situation): boolean {
  return partitions.some(({ id, state }) => concerns(ids, id) && state !== 'DISARM' && state !== 'UNKNOWN')
}

/** Returns a sentence about zones that nobody takes back. */
export function mayStay(zones: readonly BypassedZone[]): string {
  return `${capitalized(titlesOf(zones))} may still be bypassed. The panel ends that with the disarm after its next arming, or you end it before.`
}

/** Returns the beginning of a sentence about zones. */
export function areZones(zones: readonly BypassedZone[]): string {
  return `${capitalized(titlesOf(zones))} ${zones.length === 1 ? 'is' : 'are'}`
}

function titlesOf(zones: readonly BypassedZone[]): string {
  return zones.map(({ zone, name }) => (name ? `${name} (zone ${zone})` : `zone ${zone}`)).join(', ')
}

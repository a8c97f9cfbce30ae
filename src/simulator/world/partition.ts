import { type Exit, ExitDelay } from './exit-delay.ts'
import type { WorldTime } from './world-time.ts'

/** The modes in which zones are monitored. */
export type ArmingMode = 'AWAY' | 'HOME'

/** The states of an armed partition. `NIGHT` is not in the specification: some panels have it, monitored as HOME. */
export type ArmedState = ArmingMode | 'NIGHT'

/** Options of an arming: no entry delay, or report when a latchkey user disarms. */
export type ArmingOption = 'NOENTRY' | 'LATCHKEY'

/** The arming states of the interface specification 3. */
type ArmingState = ArmedState | 'DISARM' | 'ENTRY_DELAY' | 'PROGRAMMING'

/** A state: settable or not, and its allowed transitions (interface specification 2.6). */
export interface StateRow {
  name: ArmingState
  settable: boolean
  options: string[]
  statuses: string[]
  transitions: ArmingState[]
}

/** The states of interface specification 3. */
export const stateSet: readonly StateRow[] = [
  {
    name: 'AWAY',
    settable: true,
    options: ['NOENTRY', 'LATCHKEY'],
    statuses: ['EXIT'],
    transitions: ['DISARM', 'HOME'],
  },
  { name: 'HOME', settable: true, options: ['NOENTRY'], statuses: ['EXIT'], transitions: ['DISARM', 'AWAY'] },
  { name: 'DISARM', settable: true, options: [], statuses: [], transitions: ['DISARM', 'AWAY', 'HOME'] },
  { name: 'ENTRY_DELAY', settable: false, options: [], statuses: [], transitions: ['DISARM'] },
  { name: 'PROGRAMMING', settable: false, options: [], statuses: [], transitions: [] },
]

/** The same states with NIGHT, which can be reached from all armed states and from DISARM. */
export const stateSetWithNight: readonly StateRow[] = [
  ...stateSet.map((row) =>
    row.settable ? { ...row, transitions: [...row.transitions, 'NIGHT' as const] } : row,
  ),
  {
    name: 'NIGHT',
    settable: true,
    options: ['NOENTRY'],
    statuses: ['EXIT'],
    transitions: ['DISARM', 'AWAY', 'HOME'],
  },
]

/** The fixed properties of a partition; delays in seconds. */
export interface PartitionPlan {
  /** -1 is the whole panel if it has no partitions. */
  readonly id: number
  readonly name: string
  readonly exitDelay: number
  readonly entryDelay: number
  readonly states: readonly StateRow[]
}

/** The delay and the options of an arming. */
interface Arming {
  /** Seconds; at once if 0. */
  readonly exitDelay: number
  readonly exitMode: Exit['mode']
  readonly options: readonly ArmingOption[]
  /** Is called at the end of the exit delay, before zones are monitored. */
  onArmed(): void
}

/** A part of the site that is armed separately. */
export class Partition {
  readonly plan: PartitionPlan
  readonly #time: WorldTime
  #state: ArmingState = 'DISARM'
  #mode: ArmingMode | null = null
  #options: readonly ArmingOption[] = []
  readonly #exitDelay: ExitDelay
  #cancelEntryDelay = () => {}

  constructor(plan: PartitionPlan, time: WorldTime) {
    this.plan = plan
    this.#time = time
    this.#exitDelay = new ExitDelay(time)
  }

  /** The state in the service's word; the target already during the exit delay (field fact). */
  get state(): ArmingState {
    return this.#state
  }

  /** `EXIT` during the exit delay, otherwise empty. */
  get status(): '' | 'EXIT' {
    return this.#exitDelay.isRunning ? 'EXIT' : ''
  }

  /** The options of the current arming; empty while disarmed. */
  get options(): string[] {
    return [...this.#options]
  }

  /** The mode in which zones are monitored now: null while disarmed and during the exit delay. */
  get monitoredMode(): ArmingMode | null {
    return this.#exitDelay.isRunning ? null : this.#mode
  }

  /**
   * Returns true if `target` is an allowed transition of the current state (interface specification 3, rule
   * 2).
   */
  canTransitionTo(target: ArmingState): boolean {
    return this.plan.states.some((state) => state.name === this.#state && state.transitions.includes(target))
  }

  /** Arms the partition. In one mode it is armed at home if nobody has left in its exit delay (makers' guides). */
  arm(state: ArmedState, { exitDelay, exitMode, options, onArmed }: Arming): void {
    this.#cancelDelays()
    this.#state = state
    this.#mode = state === 'NIGHT' ? 'HOME' : state
    this.#options = options
    if (exitDelay === 0) {
      onArmed()
      return
    }
    const onEnd = (hasLeft: boolean) => {
      if (state === 'AWAY' && exitMode === 'restart-or-home' && !hasLeft) this.#stayHome()
      onArmed()
    }
    this.#exitDelay.start({ seconds: exitDelay, mode: exitMode, onEnd })
  }

  /** Notes that a door on its exit way is opened or closed. */
  passDoor(isOpened: boolean): void {
    if (isOpened) this.#exitDelay.openDoor()
    else this.#exitDelay.closeDoor()
  }

  /** Disarms the partition and cancels all delays. */
  disarm(): void {
    this.#setInactiveState('DISARM')
  }

  /** Opens the installer menu until the next disarming. */
  openInstallerMenu(): void {
    this.#setInactiveState('PROGRAMMING')
  }

  /**
   * Starts the entry delay, or calls `onExpired` at once without a delay; a running delay is not extended.
   */
  startEntryDelay(onExpired: () => void): void {
    if (this.#state === 'ENTRY_DELAY') return
    if (this.#options.includes('NOENTRY') || this.plan.entryDelay === 0) {
      onExpired()
      return
    }
    const armedState = this.#state
    this.#state = 'ENTRY_DELAY'
    this.#cancelEntryDelay = this.#time.after(this.plan.entryDelay, () => {
      this.#state = armedState
      onExpired()
    })
  }

  #stayHome(): void {
    this.#state = 'HOME'
    this.#mode = 'HOME'
    this.#options = this.#options.filter((option) => option !== 'LATCHKEY')
  }

  #setInactiveState(state: 'DISARM' | 'PROGRAMMING'): void {
    this.#cancelDelays()
    this.#state = state
    this.#mode = null
    this.#options = []
  }

  #cancelDelays(): void {
    this.#exitDelay.cancel()
    this.#cancelEntryDelay()
  }
}

/** The partition ids in events and alarms: 1 if there is only -1 (field fact). */
export function eventIds(partitions: Iterable<{ plan: { id: number } }>): number[] {
  return Array.from(partitions, ({ plan }) => Math.max(plan.id, 1))
}

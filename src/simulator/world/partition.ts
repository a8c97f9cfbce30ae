import type { WorldTime } from './world-time.ts'

/** How a partition can be armed. */
export type ArmingMode = 'AWAY' | 'HOME'

/** What an arming can be asked to do otherwise: no entry delay, or tell when a latchkey user disarms. */
export type ArmingOption = 'NOENTRY' | 'LATCHKEY'

/** The arming states of the interface specification 3. */
export type ArmingState = ArmingMode | 'DISARM' | 'ENTRY_DELAY' | 'PROGRAMMING'

/** Settable or not, and where each state may go (interface specification 2.6 and 3). */
export const stateSet: readonly {
  name: ArmingState
  settable: boolean
  options: string[]
  statuses: string[]
  transitions: ArmingState[]
}[] = [
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

/** What is fixed about a partition; delays in seconds. */
export interface PartitionPlan {
  /** -1 is the whole of a panel that has no partitions. */
  readonly id: number
  readonly name: string
  readonly exitDelay: number
  readonly entryDelay: number
}

/** One part of the premises that is armed by itself. */
export class Partition {
  readonly plan: PartitionPlan
  readonly #time: WorldTime
  #state: ArmingState = 'DISARM'
  #mode: ArmingMode | null = null
  #options: readonly ArmingOption[] = []
  #cancelDelay = () => {}
  #leaving = false

  constructor(plan: PartitionPlan, time: WorldTime) {
    this.plan = plan
    this.#time = time
  }

  /** The state as the service words it; already the target while the exit delay runs (field fact). */
  get state(): ArmingState {
    return this.#state
  }

  /** `EXIT` while the exit delay runs, else empty. */
  get status(): '' | 'EXIT' {
    return this.#leaving ? 'EXIT' : ''
  }

  /** The options of the present arming; none while disarmed. */
  get options(): string[] {
    return [...this.#options]
  }

  /** The mode in which zones are watched now: null while disarmed and while people may still leave. */
  get watching(): ArmingMode | null {
    return this.#leaving ? null : this.#mode
  }

  /** True when `target` is among the transitions of the current state (interface specification 3, rule 2). */
  mayBecome(target: ArmingState): boolean {
    return stateSet.some((state) => state.name === this.#state && state.transitions.includes(target))
  }

  /** Arms: at once when `exitDelay` is 0 seconds. */
  arm(mode: ArmingMode, exitDelay: number, options: readonly ArmingOption[]): void {
    this.#cancelDelay()
    this.#state = mode
    this.#mode = mode
    this.#options = options
    this.#leaving = exitDelay > 0
    if (!this.#leaving) return
    this.#cancelDelay = this.#time.after(exitDelay, () => {
      this.#leaving = false
    })
  }

  /** Disarms, whatever runs. */
  disarm(): void {
    this.#become('DISARM')
  }

  /** The installer's menu is open, until the next disarming. */
  program(): void {
    this.#become('PROGRAMMING')
  }

  /** Starts the entry delay, or, without one, calls `expired` at once; a running delay is not prolonged. */
  enter(expired: () => void): void {
    if (this.#state === 'ENTRY_DELAY') return
    if (this.#options.includes('NOENTRY') || this.plan.entryDelay === 0) {
      expired()
      return
    }
    const armedAs = this.#state
    this.#state = 'ENTRY_DELAY'
    this.#cancelDelay = this.#time.after(this.plan.entryDelay, () => {
      this.#state = armedAs
      expired()
    })
  }

  #become(state: 'DISARM' | 'PROGRAMMING'): void {
    this.#cancelDelay()
    this.#state = state
    this.#mode = null
    this.#options = []
    this.#leaving = false
  }
}

/** The ids that events and alarms name: where there is only -1, they say 1 (field fact). */
export function eventIds(partitions: Iterable<{ plan: { id: number } }>): number[] {
  return Array.from(partitions, ({ plan }) => Math.max(plan.id, 1))
}

import { ageWithSleep, type Clock, type Moment } from '../../clock.ts'
import { day, minute } from '../../duration.ts'

/** Milliseconds for which the others leave a reserve alone after the last heartbeat of its instance. */
export const reserveLifetime = day

/** Milliseconds by which the instance itself stops earlier. */
const margin = 10 * minute

/** The reserve of an instance, as others know it. */
export interface KnownReserve {
  readonly id: string
  readonly amount: number
  /** Milliseconds for which it is left alone. */
  readonly left: number
}

/** The owner of a reserve: `other` while another live session has its name, `waits` while those of dead ones take too much. */
export type Whose = 'mine' | 'other' | 'waits'

/**
 * The requests a minute that belong to this instance alone, so that it can go on when it is cut off.
 *
 * All instances leave the reserves of all others off the cap, also of those that are dead or cut off, for a day after
 * their last heartbeat. So the sum never exceeds the cap, whoever is cut off. A new one waits while those of dead ones
 * leave too little: instances that do not come back would else use up the cap.
 */
export class Reserve {
  /** Names the instance over restarts, so that its next process has the same reserve and not a second one. */
  readonly id: string
  /** Requests in any minute; 0 for none. */
  readonly amount: number
  readonly #clock: Clock
  /** The start of the last heartbeat that the server answered with the reserve; undefined while it has none. */
  #noted: Moment | undefined
  #known: readonly KnownReserve[] = []
  #isWaiting = false
  #registration = 0

  constructor(id: string, amount: number, clock: Clock) {
    this.id = id
    this.amount = amount
    this.#clock = clock
  }

  /** Another number after each time in which the server may have lost the reserve; undefined while it has none. */
  get registration(): number | undefined {
    return this.#noted === undefined ? undefined : this.#registration
  }

  /** Milliseconds for which the reserve may be used without contact to the others; 0 if it must not. */
  get left(): number {
    if (this.#noted === undefined || this.amount === 0) return 0
    return Math.max(0, reserveLifetime - margin - ageWithSleep(this.#noted, this.#clock))
  }

  /** True while those of dead instances leave no room for it. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** The reserves of the other instances, for a server that has lost them. */
  get known(): readonly KnownReserve[] {
    return this.#known
  }

  /**
   * Notes the answer to a heartbeat.
   * @param age milliseconds since it was asked
   * @param known the reserves of the others
   */
  note(age: number, whose: Whose, known: readonly KnownReserve[]): void {
    const noted = { monotonic: this.#clock.monotonic() - age, wall: this.#clock.wall() - age }
    this.#noted = whose === 'mine' ? noted : undefined
    this.#isWaiting = whose === 'waits'
    this.#known = known
  }

  /** Notes that the server may have lost it. */
  forget(): void {
    this.#noted = undefined
    this.#registration += 1
  }
}

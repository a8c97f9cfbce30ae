import type { Clock } from '../../../src/clock.ts'
import type { BlindTimes } from '../blind-times.ts'
import type { WrongClock } from '../life.ts'
import type { MachineClock } from '../process/machine-clock.ts'

/** The clock of a machine, which can be wrong, and what the nodes on it cannot know then. */
export class WatchedClock {
  readonly #machine: MachineClock
  readonly #clock: Clock
  readonly #blind: BlindTimes
  /** The moments at which it was set, at which it will be, and at which nodes start that may be the first ones to see it. */
  readonly #sets: number[] = []

  constructor(machine: MachineClock, clock: Clock, blind: BlindTimes) {
    this.#machine = machine
    this.#clock = clock
    this.#blind = blind
  }

  /** Sets it wrong, for a time. */
  setWrong({ offset, lasts }: WrongClock): void {
    const now = this.#clock.monotonic()
    for (const at of [now, now + lasts]) {
      this.#sets.push(at)
      // Until the next answer, nobody knows how old the latest one is.
      this.#blind.add(at, at)
    }
    this.#machine.wallError += offset
    if (lasts < Number.POSITIVE_INFINITY)
      this.#clock.after(lasts, () => {
        this.#machine.wallError -= offset
      })
  }

  /** Returns the latest moment up to another one at which nodes could see that it was set. */
  latestSeen(now: number): number {
    const sets = this.#sets.filter((at) => at <= now)
    // Nodes that read nothing do not see it.
    return Math.max(...sets.map((at) => Math.min(now, this.#blind.endOf('devices', at))))
  }

  /** Notes that nodes that were off since a moment start now. */
  noteStart(offSince: number): void {
    const now = this.#clock.monotonic()
    if (this.#sets.some((at) => at > offSince - this.#blind.pollEvery.devices && at <= now))
      this.#sets.push(now)
  }
}

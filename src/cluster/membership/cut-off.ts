import type { Clock } from '../../clock.ts'
import { type Membership, type MembershipTimes, membershipTimes } from './membership.ts'
import type { Reserve } from './reserve.ts'

/** The dependencies of a cut-off. */
export interface CutOffOptions {
  clock: Clock
  membership: Membership
  reserve: Reserve
  times?: MembershipTimes | undefined
  /** Called when this instance begins to go on alone, and when that ends. Must not throw. */
  onChange(): void
}

/** The time in which this instance has not heard of the others for so long that it goes on alone, with its reserve. */
export class CutOff {
  readonly #options: CutOffOptions
  /** True once the shared state has been away for longer than a lease lasts. */
  #isCutOff = false
  #isClosed = false
  #cancel = () => {}

  constructor(options: CutOffOptions) {
    this.#options = options
  }

  /** True while this instance is cut off and goes on with its reserve: it does all for itself. */
  get isAlone(): boolean {
    const { membership, reserve } = this.#options
    return this.#isCutOff && !membership.isValid && reserve.left > 0
  }

  /** Begins once the lease of this instance is over, so that it is not for a moment without an answer. */
  wait(): void {
    const { clock, membership, reserve, times = membershipTimes, onChange } = this.#options
    if (this.#isClosed || this.#isCutOff || reserve.left === 0) return
    this.#cancel()
    this.#cancel = clock.after(times.lease - times.validity, () => {
      if (membership.isValid) return
      this.#isCutOff = true
      // A day later, its reserve is that of the others.
      this.#cancel = clock.after(reserve.left, () => this.end())
      onChange()
    })
  }

  /** Ends because the others answer, or because the reserve is theirs by now. */
  end(): void {
    this.#cancel()
    if (!this.#isCutOff) return
    this.#isCutOff = false
    this.#options.onChange()
  }

  /** Ends for good, and tells nobody. */
  close(): void {
    this.#cancel()
    this.#isCutOff = false
    this.#isClosed = true
  }
}

import type { AttemptLog } from '../../../account/service-user/rate-limit/attempt-log.ts'
import { LocalRateLimitStore } from '../../../account/service-user/rate-limit/local-rate-limit-store.ts'
import type { CountedAttempt } from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import type { Lane } from '../../../account/service-user/rate-limit/sliding-window.ts'
import type { Clock } from '../../../clock.ts'
import type { Reserve } from '../../membership/reserve.ts'
import type { RateLimitTimes } from './rate-limit-times.ts'
import type { SharedBudget } from './shared-budget.ts'

/** The dependencies of the attempts of a reserve. */
export interface ReservedAttemptsOptions {
  clock: Clock
  /** The attempts that are left to this instance when it is cut off. */
  reserve?: Reserve | undefined
  /** Their log; without it, the reserve is not used. */
  reserveLog?: AttemptLog | undefined
  /** Returns true while this instance is cut off and goes on alone. */
  isAlone?(): boolean
}

/** The attempts of this instance while it is alone: as many as its reserve, once those of all have left room for it. */
export class ReservedAttempts {
  /** The store in which they are counted; undefined without a reserve. */
  readonly store: LocalRateLimitStore | undefined
  readonly #options: ReservedAttemptsOptions
  readonly #times: RateLimitTimes
  readonly #budget: Pick<SharedBudget, 'coveredAs'>

  constructor(
    options: ReservedAttemptsOptions,
    times: RateLimitTimes,
    budget: Pick<SharedBudget, 'coveredAs'>,
  ) {
    this.#options = options
    this.#times = times
    this.#budget = budget
    const { reserve, reserveLog, clock } = options
    if (reserve === undefined || reserve.amount === 0 || reserveLog === undefined) return
    this.store = new LocalRateLimitStore(reserveLog, clock)
    this.store.limit = reserve.amount
  }

  /** The store while it is to be used. */
  get current(): LocalRateLimitStore | undefined {
    return this.isCovered && this.#options.isAlone?.() ? this.store : undefined
  }

  /** False while the reserve must not be used, because the others have not left room for it yet. */
  get isCovered(): boolean {
    const { registration } = this.#options.reserve ?? {}
    return this.store === undefined || (registration !== undefined && this.#budget.coveredAs === registration)
  }

  /** Milliseconds for which what was sent of the reserve counts. */
  get counts(): number {
    const { window, margin } = this.#times
    return this.store !== undefined && this.store.used > 0 ? window + margin : 0
  }

  /** Keeps the reserve within the limit of the accounts of this instance. */
  noteCap(cap: number): void {
    if (this.store !== undefined) this.store.limit = Math.min(cap, this.#options.reserve?.amount ?? 0)
  }
}

/** Takes an attempt of the store of a reserve, and notes its end, also if there is no room for it. */
export async function takeFrom(
  store: LocalRateLimitStore,
  lane: Lane,
  noteEnd: () => void,
): Promise<CountedAttempt | undefined> {
  await store.open()
  const taken = await store.take(lane)
  if (taken === undefined) {
    noteEnd()
    return undefined
  }
  const end = () => {
    taken.end()
    noteEnd()
  }
  return { end }
}

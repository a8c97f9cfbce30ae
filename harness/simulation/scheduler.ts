import type { Clock } from '../../src/clock.ts'
import { Random } from '../../src/simulator/random.ts'

/** Steps at one moment, far more than any start of Node-RED needs. */
const maxStepsAtMoment = 50_000

interface Timer {
  /** Milliseconds of the monotonic clock. */
  readonly due: number
  readonly callback: () => void
  isCanceled: boolean
}

/**
 * The only source of order and time in a simulation: whatever can happen next waits here, and the seed chooses what does.
 * Nothing else, such as a thread or a timer of Node, makes progress.
 *
 * The clock moves only while nothing else can happen. Timers that are due at the same moment run in an order that the seed
 * chooses, too.
 */
export class Scheduler {
  readonly random: Random
  readonly clock: Clock
  /** The number of steps so far. */
  steps = 0
  readonly #start: number
  readonly #timers = new Set<Timer>()
  readonly #ready: (() => void)[] = []
  #now = 0
  /** The moment of the latest step, and the number of steps at it. */
  #moment = { at: 0, steps: 0 }

  /** @param start the time of the wall clock at the begin, in milliseconds since 1970 */
  constructor(seed: number, start: number) {
    this.random = new Random(seed)
    this.#start = start
    this.clock = {
      monotonic: () => this.#now,
      wall: () => this.#start + this.#now,
      after: (delay, callback) => {
        // As in Node, in whole milliseconds: one that rounding swallows would be due again and again at the same moment.
        const timer = { due: this.#now + Math.max(0, Math.ceil(delay)), callback, isCanceled: false }
        this.#timers.add(timer)
        return () => {
          this.#timers.delete(timer)
          timer.isCanceled = true
        }
      },
    }
  }

  /** Lets a piece of work happen in a later step. It must not throw. */
  queue(work: () => void): void {
    this.#ready.push(work)
  }

  /**
   * Lets `ms` milliseconds pass, with all that happens in them.
   * @param isEnough ends it before, after any step
   */
  async pass(ms: number, isEnough = () => false): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await this.settle(isEnough)
      if (isEnough()) return
      const next = this.#nextDue()
      if (next > end) break
      this.#now = Math.max(this.#now, next)
      this.#runDueTimer()
    }
    this.#now = end
  }

  /** Lets happen all that needs no time to pass. */
  async settle(isEnough = () => false): Promise<void> {
    await turn()
    while (this.#ready.length > 0 && !isEnough()) {
      const [work] = this.#ready.splice(this.random.between(0, this.#ready.length - 1), 1)
      await this.#step(work)
    }
  }

  /**
   * Lets happen what a promise waits for, and returns its result.
   * @throws Error if nothing is left that could settle it, or what the promise throws
   */
  async waitFor<T>(promise: Promise<T>, maxWait = Number.POSITIVE_INFINITY): Promise<T> {
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    promise.then(settle, settle)
    const end = this.#now + maxWait
    for (;;) {
      await this.settle()
      if (isSettled) return promise
      const next = this.#nextDue()
      if (next > end || next === Number.POSITIVE_INFINITY) throw new Error('The simulation waits in vain.')
      this.#now = Math.max(this.#now, next)
      this.#runDueTimer()
    }
  }

  async #step(work: (() => void) | undefined): Promise<void> {
    this.steps += 1
    if (this.#moment.at !== this.#now) this.#moment = { at: this.#now, steps: 0 }
    this.#moment.steps += 1
    if (this.#moment.steps > maxStepsAtMoment)
      throw new Error(`The time stands still after ${this.#now} ms: something repeats without a pause.`)
    work?.()
    await turn()
  }

  #nextDue(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { due } of this.#timers) next = Math.min(next, due)
    return next
  }

  #runDueTimer(): void {
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now)
    const timer = this.random.pick(due)
    if (timer === undefined) return
    this.#timers.delete(timer)
    this.queue(() => {
      if (!timer.isCanceled) timer.callback()
    })
  }
}

/** Lets promises go on that are settled: those of this turn of Node's event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

import type { FakeClock } from './fake-clock.ts'
import type { PendingIo } from './pending-io.ts'

/** Milliseconds of the fake clock that one wait may let pass: whatever is further away happens in no test. */
const maxWait = 120_000

interface Wait {
  isOver(): boolean
  /** Milliseconds of the monotonic clock. */
  latest: number
  resolve(): void
  reject(error: Error): void
  describe(): string
}

/**
 * Lets the time of a fake clock pass, from timer to timer, while a test waits and nothing is under way in this process.
 *
 * So "before the next poll" is a fact in a test, and a slow or stopped machine changes nothing but how long it takes.
 */
export class AutoAdvance {
  readonly #clock: FakeClock
  readonly #work: PendingIo
  readonly #waits = new Set<Wait>()
  #isRunning = false

  constructor(clock: FakeClock, work: PendingIo) {
    this.#clock = clock
    this.#work = work
  }

  /**
   * Waits until a condition holds; it is looked at whenever nothing is under way.
   * @param describe says what was waited for, where nothing that is still to happen can bring it
   */
  until(isOver: () => boolean, describe: () => string): Promise<void> {
    return new Promise((resolve, reject) => {
      const latest = this.#clock.monotonic() + maxWait
      this.#waits.add({ isOver, latest, resolve, reject, describe })
      if (!this.#isRunning) void this.#run()
    })
  }

  /** Lets so many milliseconds pass, at least. */
  async pass(ms: number): Promise<void> {
    const state = { isOver: false }
    this.#clock.after(ms, () => {
      state.isOver = true
    })
    await this.until(
      () => state.isOver,
      () => `${ms} ms did not pass`,
    )
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waits.size > 0) {
      try {
        // Work takes time: no two answers come at the same moment.
        while (await this.#work.untilIdle()) this.#clock.advance(1)
      } catch (thrown) {
        for (const wait of this.#waits) this.#end(wait, thrown as Error)
        continue
      }
      const next = this.#clock.monotonic() + (this.#clock.untilNext ?? Number.POSITIVE_INFINITY)
      let goesOn = true
      for (const wait of this.#waits) {
        if (wait.isOver()) goesOn = this.#end(wait)
        else if (next > wait.latest) goesOn = this.#end(wait, new Error(`In vain: ${wait.describe()}`))
      }
      // A test that was waited for may begin something else before the time goes on.
      if (goesOn) this.#clock.advance(this.#clock.untilNext ?? 0)
    }
    // In the same turn as the last look: whoever waits next begins anew.
    this.#isRunning = false
  }

  /** Ends a wait; the answer is false, since its test goes on now. */
  #end(wait: Wait, error?: Error): false {
    this.#waits.delete(wait)
    if (error === undefined) wait.resolve()
    else wait.reject(error)
    return false
  }
}

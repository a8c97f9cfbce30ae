import { minute } from '../../src/duration.ts'
import type { FakeClock } from './fake-clock.ts'
import { noteWait, noteWaitForResult } from './in-vain.ts'
import type { PendingIo } from './pending-io.ts'

/**
 * Milliseconds of the fake clock after which a condition is given up, because polls would keep the clock going for ever: more
 * than a single message or request takes. What ends by itself, such as commands that wait for one another, has no limit.
 */
const defaultMaxWait = 2 * minute

/** Callbacks while the time passes; the clock stands still until they return. */
export interface AutoAdvanceHooks {
  /** Called when timers have run, before the I/O that they started has made progress. */
  afterTimers(): void
  /** Called when no I/O is pending. */
  afterIo(): void
}

/** Options of an `AutoAdvance`. */
export interface AutoAdvanceOptions {
  /**
   * Milliseconds that pass on the fake clock after each piece of I/O; 1 by default, so that no two responses arrive
   * at the same moment. With 0 only timers move the clock.
   */
  ioDuration?: number
  hooks?: AutoAdvanceHooks
}

interface Wait {
  condition(): boolean
  /** The time on the monotonic clock at which the wait fails. */
  latest: number
  /** The clock stops here so that the condition is checked, even if no timer is due. */
  stopAt: number
  resolve(): void
  reject(error: Error): void
  describe(): string
  /** Returns the error with the place at which the wait began. */
  fail(message: string): Error
}

/**
 * Advances a fake clock from timer to timer while a test waits and no I/O is pending in this process.
 *
 * With it "before the next poll" is exact, and a slow machine only makes the test take longer.
 */
export class AutoAdvance {
  readonly #clock: FakeClock
  readonly #pendingIo: PendingIo
  readonly #ioDuration: number
  readonly #hooks: AutoAdvanceHooks | undefined
  readonly #waits = new Set<Wait>()
  #isRunning = false

  constructor(clock: FakeClock, pendingIo: PendingIo, { ioDuration = 1, hooks }: AutoAdvanceOptions = {}) {
    this.#clock = clock
    this.#pendingIo = pendingIo
    this.#ioDuration = ioDuration
    this.#hooks = hooks
  }

  /**
   * Waits until a condition holds; the condition is checked whenever no I/O is pending.
   * @param describe returns the description of the condition for the error
   * @param maxWait milliseconds of the fake clock; without a limit for what ends by itself
   * @throws Error as soon as the condition cannot become true in time, because no timer is due by then
   */
  until(
    condition: () => boolean,
    describe: () => string = () => `${condition}`,
    maxWait = defaultMaxWait,
  ): Promise<void> {
    return this.#wait(condition, describe, { latest: this.#clock.monotonic() + maxWait })
  }

  /**
   * Waits until a promise is settled, however long that takes on the fake clock; returns or throws its result.
   * @throws Error as soon as no timer is due that could settle it
   */
  async waitFor<T>(promise: Promise<T>, describe = () => 'the promise never settles'): Promise<T> {
    const state = { isSettled: false }
    const noteError = noteWaitForResult()
    const settle = () => {
      state.isSettled = true
    }
    promise.then(settle, (thrown) => {
      noteError(thrown)
      settle()
    })
    await this.until(() => state.isSettled, describe, Number.POSITIVE_INFINITY)
    return promise
  }

  /** Advances the clock to `time`, in milliseconds of the monotonic clock, and waits for all I/O. */
  advanceTo(time: number): Promise<void> {
    return this.#wait(
      () => this.#clock.monotonic() >= time,
      () => `the time ${time}`,
      { stopAt: time },
    )
  }

  /** Lets `ms` milliseconds pass, or more if I/O takes longer. */
  pass(ms: number): Promise<void> {
    return this.advanceTo(this.#clock.monotonic() + ms)
  }

  /** Waits for all I/O without advancing the clock to any timer. */
  settle(): Promise<void> {
    return this.until(() => true)
  }

  /** Fails all waits, at the end of a test: those of a test that ran out of its time would go on for ever. */
  endWaits(): void {
    for (const wait of this.#waits) this.#end(wait, wait.fail(`The test ended before: ${wait.describe()}`))
  }

  #wait(
    condition: () => boolean,
    describe: () => string,
    { latest = Number.POSITIVE_INFINITY, stopAt = Number.POSITIVE_INFINITY },
  ): Promise<void> {
    const fail = noteWait()
    return new Promise((resolve, reject) => {
      this.#waits.add({ condition, describe, latest, stopAt, resolve, reject, fail })
      if (!this.#isRunning) void this.#run()
    })
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waits.size > 0) {
      try {
        await this.#waitForIo()
      } catch (thrown) {
        for (const wait of this.#waits) this.#end(wait, wait.fail((thrown as Error).message))
        continue
      }
      const nextTimer = this.#clock.monotonic() + (this.#clock.untilNext ?? Number.POSITIVE_INFINITY)
      let mayAdvance = true
      for (const wait of this.#waits) {
        const next = Math.min(nextTimer, wait.stopAt)
        if (wait.condition()) mayAdvance = this.#end(wait)
        else if (next > wait.latest || next === Number.POSITIVE_INFINITY)
          mayAdvance = this.#end(wait, wait.fail(`In vain: ${wait.describe()}`))
      }
      // A test whose wait has ended may start something else before the time goes on.
      if (mayAdvance) this.#advanceToNext(nextTimer)
    }
    // Synchronously after the last check, so that the next wait starts a new run.
    this.#isRunning = false
  }

  async #waitForIo(): Promise<void> {
    while ((await this.#pendingIo.untilIdle()) && this.#ioDuration > 0) this.#clock.advance(this.#ioDuration)
    if (this.#hooks === undefined) return
    this.#hooks.afterIo()
    await this.#pendingIo.untilIdle()
  }

  #advanceToNext(nextTimer: number): void {
    const stops = [...this.#waits].map(({ stopAt }) => stopAt)
    this.#clock.advance(Math.min(nextTimer, ...stops) - this.#clock.monotonic())
    this.#hooks?.afterTimers()
  }

  /** Ends a wait; returns false because the clock must not advance before its test goes on. */
  #end(wait: Wait, error?: Error): false {
    this.#waits.delete(wait)
    if (error === undefined) wait.resolve()
    else wait.reject(error)
    return false
  }
}

import type { Clock } from '../../../src/clock.ts'
import type { Scheduler } from '../scheduler.ts'
import { LocalServers } from './local-server.ts'
import type { MachineClock } from './machine-clock.ts'

/**
 * A process on a machine: what it has set off, its timers, files, requests and messages, goes on only while it runs. It can be
 * stalled, as by a flow that computes something, and killed.
 */
export class SimulatedProcess {
  readonly clock: Clock
  /** The servers that only its own requests reach. */
  readonly servers = new LocalServers((work) => this.queue(work))
  readonly #scheduler: Scheduler
  readonly #held: (() => void)[] = []
  readonly #immediates: (() => void)[] = []
  readonly #exits: (() => void)[] = []
  #isOver = false
  #isStalled = false

  constructor(scheduler: Scheduler, machine: MachineClock) {
    this.#scheduler = scheduler
    this.clock = {
      monotonic: () => machine.monotonic(),
      wall: () => machine.wall(),
      get boot() {
        return machine.boot
      },
      after: (delay, callback) => {
        let isCanceled = false
        // It may be canceled while it is due and the process is stalled.
        const run = () => {
          if (!isCanceled) callback()
        }
        const cancel = scheduler.clock.after(delay, () => this.#run(run))
        return () => {
          isCanceled = true
          cancel()
        }
      },
    }
  }

  /** True after its end. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Lets a piece of work happen in a later step, if the process still runs then. */
  readonly queue = (work: () => void): void => {
    this.#scheduler.queue(() => this.#run(work))
  }

  /** Like `queue`, in the order of the calls, as `setImmediate` keeps it: messages on wires do not overtake each other. */
  readonly setImmediate = (work: () => void): void => {
    this.#immediates.push(work)
    this.queue(() => this.#immediates.shift()?.())
  }

  /** Does nothing for `ms` milliseconds; what is due meanwhile comes after it. */
  stall(ms: number): void {
    if (this.#isStalled || this.#isOver) return
    this.#isStalled = true
    this.#scheduler.clock.after(ms, () => {
      this.#isStalled = false
      for (const work of this.#held.splice(0)) this.queue(work)
    })
  }

  /** Calls back when the process ends in an orderly way. */
  onExit(callback: () => void): void {
    this.#exits.push(callback)
  }

  /** Ends it in an orderly way. */
  exit(): void {
    for (const callback of this.#exits) callback()
    this.kill()
  }

  /** Ends it at once: nothing of it happens any more. */
  kill(): void {
    this.#isOver = true
    this.#held.length = 0
  }

  #run(work: () => void): void {
    if (this.#isOver) return
    if (this.#isStalled) this.#held.push(work)
    else work()
  }
}

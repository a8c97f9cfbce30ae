import { systemClock } from '../../src/clock.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { AutoAdvance } from './auto-advance.ts'
import { FakeClock } from './fake-clock.ts'
import { PendingIo } from './pending-io.ts'

/** The clock of everything in this process while a lab is open. Accounts outlive a test, and so does their clock. */
export const processClock = new FakeClock()

/** The simulators that are asked. */
export const runningSimulators = new Set<Simulator>()

const work = new PendingIo(() => [...runningSimulators].flatMap(({ withheldPorts: withheld }) => withheld))

/** Goes on while a test waits and nothing is under way. */
export const processTime = new AutoAdvance(processClock, work)

const { monotonic, wall, after } = systemClock

/** Puts the lab's clock in the place of the machine's. */
export function installFakeClock(): void {
  Object.assign(systemClock, {
    monotonic: () => processClock.monotonic(),
    wall: () => processClock.wall(),
    after: (delay: number, callback: () => void) => processClock.after(delay, callback),
  })
  work.start()
  work.expectHashing(Number.POSITIVE_INFINITY)
}

/** Gives this process the machine's clock again. */
export function restoreSystemClock(): void {
  work.stop()
  Object.assign(systemClock, { monotonic, wall, after })
}

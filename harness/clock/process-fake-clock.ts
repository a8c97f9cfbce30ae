import { systemClock } from '../../src/clock.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { AutoAdvance } from './auto-advance.ts'
import { FakeClock } from './fake-clock.ts'
import { PendingIo } from './pending-io.ts'

/** The fake clock of this whole process, for all its tests: accounts outlive a test, and so does their clock. */
export const processClock = new FakeClock()

/** The simulators of the current test. */
export const runningSimulators = new Set<Simulator>()

const pendingIo = new PendingIo(() => [...runningSimulators].flatMap(({ withheldPorts }) => withheldPorts))

/** Advances `processClock` while a test waits. */
export const processTime = new AutoAdvance(processClock, pendingIo)

const { monotonic, wall, after } = systemClock

/** Replaces the system clock by `processClock`. */
export function installFakeClock(): void {
  Object.assign(systemClock, {
    monotonic: () => processClock.monotonic(),
    wall: () => processClock.wall(),
    after: (delay: number, callback: () => void) => processClock.after(delay, callback),
  })
  pendingIo.start()
}

/** Restores the system clock. */
export function restoreSystemClock(): void {
  pendingIo.stop()
  Object.assign(systemClock, { monotonic, wall, after })
}

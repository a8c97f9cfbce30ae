import { systemClock } from '../../src/clock.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { AutoAdvance } from './auto-advance.ts'
import { FakeClock } from './fake-clock.ts'
import { RealWork } from './pending-io.ts'

/** The clock of everything in this process while a lab is open. Accounts outlive a test, and so does their clock. */
export const labClock = new FakeClock()

/** The simulators that are asked. */
export const labSimulators = new Set<Simulator>()

const work = new RealWork(() => [...labSimulators].flatMap(({ withheldPorts: withheld }) => withheld))

/** Goes on while a test waits and nothing is under way. */
export const labTime = new AutoAdvance(labClock, work)

const { monotonic, wall, after } = systemClock

/** Puts the lab's clock in the place of the machine's. */
export function beginLabTime(): void {
  Object.assign(systemClock, {
    monotonic: () => labClock.monotonic(),
    wall: () => labClock.wall(),
    after: (delay: number, callback: () => void) => labClock.after(delay, callback),
  })
  work.begin()
  work.expectStretching(Number.POSITIVE_INFINITY)
}

/** Gives this process the machine's clock again. */
export function endLabTime(): void {
  work.end()
  Object.assign(systemClock, { monotonic, wall, after })
}

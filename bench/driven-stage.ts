import type { RawSettings } from '../src/account/settings.ts'
import type { SimulatorOptions } from '../src/simulator/simulator.ts'
import { type Stage, stage } from '../test/support/account-at-simulator.ts'
import { RealWork } from '../test/support/real-work.ts'
import { TimeLapse } from '../test/support/week/time-lapse.ts'

/**
 * Takes figures of an account and a panel at a simulator on a driven clock, for as long as `take` lasts.
 * @param take is given what drives the clock, and waits for all real work on the way
 */
export async function onDrivenClock<T>(
  options: SimulatorOptions,
  settings: RawSettings,
  take: (at: Stage, lapse: TimeLapse) => Promise<T>,
): Promise<T> {
  const at = await stage(options, settings)
  const work = new RealWork(() => at.simulator.requests.filter(({ status }) => status === 0).length)
  work.begin()
  // The password and the code of the panel.
  work.expectStretching(2)
  try {
    return await take(at, new TimeLapse(at.clock, work))
  } finally {
    work.end()
    await at.close()
  }
}

import { type AccountHarness, startAccountHarness } from '../harness/account.ts'
import { TimeLapse } from '../harness/clock/time-lapse.ts'
import type { RawSettings } from '../src/settings.ts'
import type { SimulatorOptions } from '../src/simulator/simulator.ts'

/**
 * Runs `take` with an account and a panel at a simulator on a fake clock.
 * @param take gets the stage and the object that advances the clock and waits for all real work
 */
export async function withFakeClock<T>(
  options: SimulatorOptions,
  settings: RawSettings,
  take: (at: AccountHarness, lapse: TimeLapse) => Promise<T>,
): Promise<T> {
  const at = await startAccountHarness(options, settings)
  // Password and panel code are each stretched once.
  at.pendingIo.expectHashing(2)
  try {
    return await take(at, new TimeLapse(at.clock, at.pendingIo))
  } finally {
    await at.close()
  }
}

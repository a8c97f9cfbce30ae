import { type AccountHarness, startAccountHarness } from '../harness/account.ts'
import { answerOverConnections } from '../harness/clock/memory-exchange.ts'
import type { RawSettings } from '../src/settings.ts'
import type { SimulatorOptions } from '../src/simulator/simulator.ts'

/** Runs `work` with an account and a panel at a simulator on a fake clock, over HTTP, and closes the harness. */
export async function withFakeClock<T>(
  options: SimulatorOptions,
  settings: RawSettings,
  work: (harness: AccountHarness) => Promise<T>,
): Promise<T> {
  const harness = await startAccountHarness(options, settings)
  answerOverConnections(harness.simulator)
  try {
    return await work(harness)
  } finally {
    await harness.close()
  }
}

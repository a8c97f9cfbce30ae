import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/clock.ts'
import { minute } from '../../src/duration.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import type { Testbed, Testbeds } from './testbed.ts'

/**
 * Returns the testbeds of one process and its files.
 * @param open opens the stores
 */
export function localTestbeds<S>(open: (folder: string, clock: Clock) => S): Testbeds<S> {
  return { maxInstances: 1, start: () => start(open) }
}

async function start<S>(open: (folder: string, clock: Clock) => S): Promise<Testbed<S>> {
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  const clock = new FakeClock()
  return {
    window: minute,
    now: () => clock.monotonic(),
    advance: async (ms) => {
      clock.advance(ms)
      // The end of an attempt is written without anybody waiting for it.
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
    },
    open: async () => ({ stores: open(folder, clock), kill: async () => {} }),
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}

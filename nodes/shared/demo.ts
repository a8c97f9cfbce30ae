import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** A simulator in this process, and a folder that goes with it: its world does not outlive a restart either. */
export interface Demo {
  simulator: Simulator
  folder: string
}

/** By the id of the account; they outlive a redeploy. */
const demos = new Map<string, Promise<Demo>>()

/**
 * The demo of an account: one world, which goes on living while flows are redeployed.
 * @param log takes a line when it starts
 */
export function demoOf(id: string, log: (line: string) => void): Promise<Demo> {
  const running = demos.get(id)
  if (running !== undefined) return running
  const starting = startDemo(log)
  demos.set(id, starting)
  starting.catch(() => demos.delete(id))
  return starting
}

/** Ends the demo of an account, if it has one. */
export async function endDemo(id: string): Promise<void> {
  const running = demos.get(id)
  demos.delete(id)
  await (await running)?.simulator.close()
}

/** What an account signs in to its demo with. */
export function demoSettings({ url, email, password }: Simulator) {
  return { url, email, password, api: 'user', apiVersion: '', caFile: '', appId: '' }
}

/** Serial and user code of the panel that a demo offers when none is chosen. */
export function firstPanel({ serials: [serial = ''], userCode }: Simulator) {
  return { serial, userCode }
}

async function startDemo(log: (line: string) => void): Promise<Demo> {
  const { startSimulator } = await import('../../src/simulator/simulator.ts')
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-demo-'))
  // At the very end: until then a panel may still be writing into it.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const simulator = await startSimulator({ scenario: 'day' })
  log(`Demo panel console: ${simulator.url}/`)
  return { simulator, folder }
}

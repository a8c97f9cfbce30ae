import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** A simulator in this process and a temporary folder for its account; neither survives a restart. */
export interface Demo {
  simulator: Simulator
  folder: string
}

/** Demos by the id of the account; they survive a redeploy. */
const demos = new Map<string, Promise<Demo>>()

/**
 * Returns the demo of an account; it keeps running while flows are redeployed.
 * @param log gets one line when the demo starts
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

/** Returns the account settings for signing in to a demo. */
export function demoSettings({ url, email, password }: Simulator) {
  return { url, email, password, api: 'user', apiVersion: '', caFile: '', appId: '' }
}

/** Returns serial and user code of the first panel of a demo. */
export function firstPanel({ serials: [serial = ''], userCode }: Simulator) {
  return { serial, userCode }
}

async function startDemo(log: (line: string) => void): Promise<Demo> {
  const { startSimulator } = await import('../../src/simulator/simulator.ts')
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-demo-'))
  // Deleted only when the process exits, because a panel may write to the folder until then.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const simulator = await startSimulator({ scenario: 'day' })
  log(`Demo panel console: ${simulator.url}/`)
  return { simulator, folder }
}

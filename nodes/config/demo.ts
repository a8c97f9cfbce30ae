import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultLocale } from '../../src/account/account-settings.ts'
import { systemClock } from '../../src/clock.ts'
import { day } from '../../src/duration.ts'
import { onOneLine } from '../../src/service/error.ts'
import { type RawSettings, text } from '../../src/settings.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** A simulator in this process and a temporary folder for its account; neither survives a restart. */
export interface Demo {
  simulator: Simulator
  folder: string
  /** Signs the passes for its console page, so they end with the demo. */
  passKey: Buffer
}

/** Demos by the id of the account; they survive a redeploy. */
const demos = new Map<string, Promise<Demo>>()

const folderPrefix = 'keyholder-demo-'

/** The folders of all demos of this process. */
const folders = new Set<string>()

/** Those of ended demos. A panel may still write to them for a moment. */
const endedFolders = new Set<string>()

/** Tells if the settings of an account select the demo. */
export function isDemo({ source }: RawSettings): boolean {
  return source === 'demo'
}

/**
 * Returns the demo of an account; it keeps running while flows are redeployed.
 * @param log gets one line when the demo starts
 */
export function demoOf(id: string, raw: RawSettings, log: (line: string) => void): Promise<Demo> {
  const running = demos.get(id)
  if (running !== undefined) return running
  const starting = startDemo(text(raw, 'name') || id, text(raw, 'locale') || defaultLocale, log)
  demos.set(id, starting)
  starting.catch(() => demos.delete(id))
  return starting
}

/** Returns the demo of an account if it has been started. */
export async function runningDemo(id: string): Promise<Demo | undefined> {
  return demos.get(id)?.catch(() => undefined)
}

/** Ends the demo of an account, if it has one. */
export async function endDemo(id: string): Promise<void> {
  const running = demos.get(id)
  demos.delete(id)
  const demo = await running
  await demo?.simulator.close()
  if (demo !== undefined) endedFolders.add(demo.folder)
}

/** Returns the account settings for signing in to a demo: it counts no requests, and the dialog shows no limit for it. */
export function demoSettings({ url, email, password }: Simulator) {
  return { url, email, password, api: 'user', apiVersion: '', caFile: '', appId: '', requestsPerMinute: 6000 }
}

async function startDemo(name: string, locale: string, log: (line: string) => void): Promise<Demo> {
  const { startSimulator } = await import('../../src/simulator/simulator.ts')
  const folder = await createFolder()
  const simulator = await startSimulator({ scenario: 'day', isPrivate: true, locale })
  log(`Demo panel console of ${onOneLine(name)}: ${simulator.url}/`)
  return { simulator, folder, passKey: randomBytes(32) }
}

/** Returns a new folder, which is deleted when the process exits; deletes what earlier ones have left. */
export async function createFolder(): Promise<string> {
  await deleteOldFolders()
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  if (folders.size === 0) process.once('exit', deleteFolders)
  folders.add(folder)
  return folder
}

/** Deletes a folder of `createFolder` now. Never rejects. */
export async function deleteFolder(folder: string): Promise<void> {
  endedFolders.add(folder)
  await rm(folder, { recursive: true, force: true }).catch(() => {})
}

/** Deletes all folders when the process exits: a panel may write to them until then. */
function deleteFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** Deletes the folders of demos that have ended, and those that killed processes left more than a day ago. */
async function deleteOldFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  const paths = names.filter((name) => name.startsWith(folderPrefix)).map((name) => join(tmpdir(), name))
  for (const path of paths) {
    const isOld = folders.has(path) ? endedFolders.delete(path) : await isLeftover(path)
    if (isOld) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

/** Returns true if nothing in a folder has changed for a day. A running demo writes at each request. */
async function isLeftover(folder: string): Promise<boolean> {
  try {
    const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))]
    const stats = await Promise.all(paths.map((path) => lstat(path)))
    return stats.every(({ mtimeMs }) => systemClock.wall() - mtimeMs > day)
  } catch {
    return false
  }
}

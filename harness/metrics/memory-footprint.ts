import { readdir, stat } from 'node:fs/promises'
import { ClientRequest } from 'node:http'
import { join } from 'node:path'
import { getHeapCodeStatistics, queryObjects } from 'node:v8'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { Panel } from '../../src/panel/panel.ts'
import { collectGarbage } from './gc.ts'

/** What a process takes up while it rests. */
export interface MemoryFootprint {
  /** Bytes of the heap in use after all garbage is collected, without compiled code, which grows with what has run. */
  heap: number
  /** Living objects by class. */
  objects: Record<string, number>
  /** Open handles and running requests, by kind. */
  handles: Record<string, number>
  /** Bytes of each file of a folder. */
  files: Record<string, number>
}

/** What a leak would hold: what is made anew at each deploy or restart, and what each attempt leaves behind. */
const classes = { Panel, Account, AccountRegistry, ClientRequest, AbortSignal, Promise, Function }

/** Measures this process, and a folder that it writes into. */
export async function measureFootprint(folder: string): Promise<MemoryFootprint> {
  const handles: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  const names = (await readdir(folder)).sort()
  const sizes = await Promise.all(
    names.map(async (name) => [name, (await stat(join(folder, name))).size] as const),
  )
  const heap = await heapInUse()
  const objects = Object.entries(classes).map(([name, one]) => [name, queryObjects(one)])
  return { heap, objects: Object.fromEntries(objects), handles, files: Object.fromEntries(sizes) }
}

async function heapInUse(): Promise<number> {
  await collectGarbage()
  const { code_and_metadata_size: machineCode, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics()
  return process.memoryUsage().heapUsed - machineCode - bytecode
}

/** How much the values grow from one to the next: the slope of the line that fits them best. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const rise = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return rise / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
}

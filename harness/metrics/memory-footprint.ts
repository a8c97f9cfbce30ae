import { readdir, stat } from 'node:fs/promises'
import { ClientRequest } from 'node:http'
import { join } from 'node:path'
import { getHeapCodeStatistics, queryObjects } from 'node:v8'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { Panel } from '../../src/panel/panel.ts'
import { collectGarbage } from './gc.ts'

/** The resources that a process uses while it is idle. */
export interface MemoryFootprint {
  /**
   * Bytes of the used heap after garbage collection, without compiled code, which grows with every function that
   * runs.
   */
  heap: number
  /** The number of open handles and running requests by kind. */
  handles: Record<string, number>
  /** The size of each file in bytes. */
  files: Record<string, number>
}

/** The classes in which a leak shows: those of each deploy or restart, and those of each request. */
const classes = { Panel, Account, AccountRegistry, ClientRequest, AbortSignal, Promise, Function }

/** Measures this process and the folder of its files. */
export async function measureFootprint(folder: string): Promise<MemoryFootprint> {
  const handles: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  const names = (await readdir(folder)).sort()
  const sizes = await Promise.all(
    names.map(async (name) => [name, (await stat(join(folder, name))).size] as const),
  )
  return { heap: await heapInUse(), handles, files: Object.fromEntries(sizes) }
}

/**
 * Returns the number of objects by class. Rarely call it: for each class, the engine collects garbage several times and goes
 * through the whole heap.
 */
export function countObjects(): Record<string, number> {
  return Object.fromEntries(Object.entries(classes).map(([name, one]) => [name, Number(queryObjects(one))]))
}

async function heapInUse(): Promise<number> {
  await collectGarbage()
  const { code_and_metadata_size: machineCode, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics()
  return process.memoryUsage().heapUsed - machineCode - bytecode
}

/** Returns the growth per value: the slope of the line that fits the values best. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const rise = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return rise / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
}

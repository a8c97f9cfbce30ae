import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/**
 * The functions that Node 26 carries out by a request that `process.getActiveResourcesInfo()` does not list; Node 20 to
 * 24 list all of them.
 */
const functions = ['readFile', 'writeFile', 'appendFile'] as const

let pending = 0

for (const name of functions) {
  const original = fs[name] as (...values: unknown[]) => Promise<unknown>
  const counting = async (...values: unknown[]) => {
    pending += 1
    try {
      return await original(...values)
    } finally {
      pending -= 1
    }
  }
  Object.assign(fs, { [name]: counting })
}
// The named imports of modules follow.
syncBuiltinESMExports()

/** Returns the number of whole files that this process is reading or writing. */
export function countPendingFiles(): number {
  return pending
}

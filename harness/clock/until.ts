import { setTimeout as pause } from 'node:timers/promises'
import { noteWait } from './in-vain.ts'

/** Milliseconds of real time, longer than anything takes on a slow machine. */
const maxWait = 100_000

/**
 * Waits in real time until a condition holds. For conditions that no message reports and that need no time on a fake
 * clock, such as the arrival of a request.
 * @param what describes the condition for the error
 * @throws Error after 100 seconds
 */
export async function until(condition: () => boolean, what = `${condition}`): Promise<void> {
  const fail = noteWait()
  const start = performance.now()
  while (!condition()) {
    const waited = performance.now() - start
    if (waited > maxWait) throw fail(`Waited ${maxWait / 1000} s in vain for ${what}.`)
    // A condition may look through a long list, and what takes long is not over in the next millisecond.
    await pause(waited < 100 ? 1 : 10)
  }
}

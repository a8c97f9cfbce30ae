import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collect: () => void = runInNewContext('gc')

/**
 * Collects all garbage, in several rounds with turns of the event loop: finalizers release objects for the next
 * round.
 */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

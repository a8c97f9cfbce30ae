import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collect: () => void = runInNewContext('gc')

/** Collects all garbage; what finalizers let go of goes in a further round, after a turn of the event loop. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

import * as lua from '../../lua/rate-limit.lua.ts'
import { type Scripts, script } from '../../redis/scripts.ts'

const guard = script(lua.guard)

/** The dependencies of a guard. */
export interface KillGuardOptions {
  scripts: Scripts
  /** Returns the number of the session of this instance: all have the backoff if it ends. */
  session(): number
}

/**
 * Notes on the server that all have a backoff of `pause` milliseconds from now if this process ends before it calls the
 * returned function, whose promise never rejects.
 * @param key the key of the guards on the server
 * @throws KeyholderError if it could not be written
 */
export async function guardKill(
  { scripts, session }: KillGuardOptions,
  key: string,
  id: string,
  pause: number,
): Promise<() => Promise<void>> {
  const owner = session()
  await scripts.run(guard, [key], [id, owner, Math.ceil(pause)])
  return async () => {
    await scripts.tryRun(guard, [key], [id, owner, 0])
  }
}

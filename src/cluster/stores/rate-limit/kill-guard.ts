import type { AttemptLog } from '../../../account/rate-limit/attempt-log.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import { type Scripts, script } from '../../redis/scripts.ts'

const guard = script(lua.guard)

/** The dependencies of a guard. */
export interface KillGuardOptions {
  scripts: Scripts
  /** Returns the number of the session of this instance: all have the backoff if it ends. */
  session(): number
  /** The log of a process after this one that may be alone. */
  attemptLog?: AttemptLog | undefined
}

/**
 * Notes on the server and in the log that all have a backoff of `pause` milliseconds from now if this process ends
 * before it calls the returned function. Neither promise rejects.
 * @param key the key of the guards on the server
 */
export async function guardKill(
  { scripts, session, attemptLog }: KillGuardOptions,
  key: string,
  id: string,
  pause: number,
): Promise<() => Promise<void>> {
  const owner = session()
  const end = await attemptLog?.guardKill(pause)
  await scripts.tryRun(guard, [key], [id, owner, Math.ceil(pause)])
  return async () => {
    await Promise.all([end?.(), scripts.tryRun(guard, [key], [id, owner, 0])])
  }
}

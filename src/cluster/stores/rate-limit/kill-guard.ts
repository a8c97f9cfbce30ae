import type { AttemptLog } from '../../../account/service-user/rate-limit/attempt-log.ts'
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
 * before it calls the returned function, whose promise never rejects.
 * @param key the key of the guards on the server
 * @throws KeyholderError if neither of both could be written
 */
export async function guardKill(
  { scripts, session, attemptLog }: KillGuardOptions,
  key: string,
  id: string,
  pause: number,
): Promise<() => Promise<void>> {
  const owner = session()
  const [logged, shared] = await Promise.allSettled([
    attemptLog?.guardKill(pause),
    scripts.run(guard, [key], [id, owner, Math.ceil(pause)]),
  ])
  if (logged.status === 'rejected' && shared.status === 'rejected') throw logged.reason
  if (attemptLog === undefined && shared.status === 'rejected') throw shared.reason
  const end = logged.status === 'fulfilled' ? logged.value : undefined
  return async () => {
    await Promise.all([end?.(), scripts.tryRun(guard, [key], [id, owner, 0])])
  }
}

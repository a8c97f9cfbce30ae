import { day } from '../duration.ts'
import * as lua from './lua/unused.lua.ts'
import { type Scripts, scriptsOf } from './redis/scripts.ts'

const { isDue, forgetCursors, forgetLeases, forgetWorks } = scriptsOf(lua)

/** Milliseconds for which a cursor that nobody uses is kept: an instance may be off for long. */
const cursorLifetime = 90 * day

/** Entries that are looked at by one script; a longer one would keep the others waiting. */
const portion = 200

/**
 * Deletes what gone nodes and instances have left on the server, once a day for all instances. No key expires by itself:
 * that would follow the server's wall clock.
 * @throws KeyholderError
 */
export async function forgetUnusedKeys(calls: Scripts): Promise<void> {
  const [due] = await calls.run(isDue, ['server'], [day])
  if (due !== 1) return
  for (const [script, ...keys] of [
    [forgetCursors, 'changed cursors', 'leases', 'panel:'],
    [forgetLeases, 'leases'],
    [forgetWorks, 'begun'],
  ] as const) {
    for (let position = '0'; position !== '-1'; ) {
      const [next] = await calls.run(script, ['members', ...keys], [cursorLifetime, portion, position])
      position = `${next}`
    }
  }
}

import { day } from '../duration.ts'
import * as lua from './lua/unused.lua.ts'
import { type Scripts, scriptsOf } from './redis/scripts.ts'

const scripts = scriptsOf(lua)

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
  const [isDue] = await calls.run(scripts.isDue, ['server'], [day])
  if (isDue !== 1) return
  const keys = ['members', 'leases', 'changed cursors', 'panel:']
  for (let position = 0; position >= 0; ) {
    const args = [cursorLifetime, day, position, portion]
    const [next] = await calls.run(scripts.forgetCursors, keys, args)
    position = Number(next)
  }
  for (let [leases, works] = ['0', '0']; leases !== '-1' || works !== '-1'; ) {
    const args = [cursorLifetime, portion, leases, works]
    const next = await calls.run(scripts.forgetFields, ['members', 'leases', 'begun'], args)
    ;[leases, works] = next.map(String) as [string, string]
  }
}

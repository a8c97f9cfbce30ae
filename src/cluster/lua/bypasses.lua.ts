/**
 * Removes what version 0.2.0 has recorded about the bypasses of a panel. A record begins with the session of its instance.
 *
 * KEYS 2 records. Answer: time, by partition: partition, record
 */
export const remove = `
local found = redis.call('HGETALL', KEYS[2])
redis.call('DEL', KEYS[2])
return {time, found}
`

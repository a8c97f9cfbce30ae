/**
 * Refuses whoever does not hold the lease any more, by its token.
 *
 * KEYS of all 2 leases, 3 cursor, 4 intents, 5 changed cursors; ARGV 2 name of the lease, 3 token
 */
const common = `
if redis.call('HGET', KEYS[2], ARGV[2]) ~= ARGV[3] then return {time, 'lost'} end
`

/** Reads a cursor. Answer: time, `held` | `lost`, state or nothing, intents */
export const load = `${common}
return {time, 'held', redis.call('GET', KEYS[3]) or '', redis.call('LRANGE', KEYS[4], 0, -1)}
`

/** Adds an intent. ARGV 4 intent. Answer: time, `held` | `lost` */
export const intend = `${common}
redis.call('RPUSH', KEYS[4], ARGV[4])
return {time, 'held'}
`

/** Saves a state and replaces the intents. ARGV 4 state, 5 intent or nothing. Answer: time, `held` | `lost` */
export const save = `${common}
redis.call('SET', KEYS[3], ARGV[4])
redis.call('ZADD', KEYS[5], time, ARGV[2])
redis.call('DEL', KEYS[4])
if ARGV[5] ~= '' then redis.call('RPUSH', KEYS[4], ARGV[5]) end
return {time, 'held'}
`

/**
 * Puts the state of a cursor back that the server has lost. An intent that nobody can read tells the next holder that
 * events may have been sent since. ARGV 2 name of the lease, 3 state
 */
export const restore = `
if not redis.call('GET', KEYS[3]) then
  redis.call('SET', KEYS[3], ARGV[3])
  redis.call('RPUSH', KEYS[4], 'restored')
  redis.call('ZADD', KEYS[5], time, ARGV[2])
end
return {time}
`

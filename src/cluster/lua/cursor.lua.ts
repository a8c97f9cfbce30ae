/**
 * Refuses whoever does not hold the lease any more, by its token.
 *
 * KEYS 2 leases, 3 cursor, 4 intents, 5 changed cursors; ARGV 2 name of the lease, 3 token
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
 * Puts the states of cursors back that the server has lost. An intent that nobody can read tells the next holder that
 * events may have been sent since. KEYS 2 changed cursors, 3.. cursor and intents of each; ARGV 2.. name of the lease and state of
 * each
 */
export const restore = `
for i = 3, #KEYS, 2 do
  if not redis.call('GET', KEYS[i]) then
    redis.call('SET', KEYS[i], ARGV[i])
    redis.call('RPUSH', KEYS[i + 1], 'restored')
    redis.call('ZADD', KEYS[2], time, ARGV[i - 1])
  end
end
return {time}
`

/** Removes a follower, and after the last one the answers. KEYS 2 followers, 3 published answers; ARGV 2 session */
export const leave = `
redis.call('HDEL', KEYS[2], ARGV[2])
if redis.call('HLEN', KEYS[2]) == 0 then redis.call('DEL', KEYS[3]) end
return {time}
`

/** Tells the others a word, with their next heartbeat. KEYS 2 hints; ARGV 2 hint */
export const tell = `
redis.call('ZADD', KEYS[2], time, ARGV[2])
return {time}
`

/**
 * Publishes an answer if anybody follows.
 *
 * KEYS 2 followers, 3 published answers; ARGV 2 question, 3 stamp, 4 sealed answer, or nothing to ask whether the one with this
 * stamp is there
 * Answer: time, 1 if it is there, or if nobody follows
 */
export const publish = `
if redis.call('HLEN', KEYS[2]) == 0 then return {time, 1} end
if ARGV[4] == '' then return {time, redis.call('HGET', KEYS[3], ARGV[2] .. ' stamp') == ARGV[3] and 1 or 0} end
redis.call('HSET', KEYS[3], ARGV[2] .. ' stamp', ARGV[3], ARGV[2], ARGV[4])
return {time, 1}
`

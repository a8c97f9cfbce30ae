/**
 * Begins a session. Its number is never used again, not even by a server that has lost its data.
 *
 * KEYS 2 members, 3 latest session, 4 version, 5 names; ARGV 2 lease, 3 name of the instance
 * Answer: time, session
 */
export const join = `
local session = math.max(tonumber(redis.call('GET', KEYS[3]) or 0) + 1, time)
redis.call('SET', KEYS[3], string.format('%d', session))
redis.call('ZADD', KEYS[2], time + ARGV[2], string.format('%d', session))
redis.call('HSET', KEYS[5], string.format('%d', session), ARGV[3])
redis.call('INCR', KEYS[4])
return {time, session}
`

/**
 * Prolongs a session, ends those that are over, and tells what has changed.
 *
 * KEYS 2 server, 3 members, 4 version, 5 names, 6 wishes, 7 changed users, 8 changed cursors, 9 hints, 10 sessions that were
 * killed in the last minute;
 * ARGV 2 session, 3 lease, 4 the time that the heartbeat before told, 5 the version that it told, 6 `=` or the changed
 * wishes of this session, 7 the generation of the data that the instance has met
 * Answer: time, `alive` | `unknown` | `forgotten`; alive: version, sessions with their wishes unless it is the known
 * version, time, sessions, names, changed users, panels with changed cursors, hints
 */
export const heartbeat = `
if redis.call('HGET', KEYS[2], 'generation') ~= ARGV[7] then return {time, 'forgotten'} end
local dead = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', time)
for _, session in ipairs(dead) do
  redis.call('ZREM', KEYS[3], session)
  redis.call('ZADD', KEYS[10], time, session)
  redis.call('HDEL', KEYS[5], session)
  redis.call('HDEL', KEYS[6], session)
end
if #dead > 0 then redis.call('INCR', KEYS[4]) end
if not redis.call('ZSCORE', KEYS[3], ARGV[2]) then return {time, 'unknown'} end
redis.call('ZADD', KEYS[3], time + ARGV[3], ARGV[2])
if ARGV[6] ~= '=' then
  redis.call('HSET', KEYS[6], ARGV[2], ARGV[6])
  redis.call('INCR', KEYS[4])
end
local sessions = redis.call('ZRANGE', KEYS[3], 0, -1)
-- Cursors stay known: those that nobody uses any more are deleted one day.
local function changedIn(key) return redis.call('ZRANGEBYSCORE', key, math.max(ARGV[4], time - 60000), '+inf') end
for _, key in ipairs({KEYS[7], KEYS[9], KEYS[10]}) do redis.call('ZREMRANGEBYSCORE', key, '-inf', time - 60000) end
local version = tonumber(redis.call('GET', KEYS[4]) or 0)
local wishes = version ~= tonumber(ARGV[5]) and redis.call('HGETALL', KEYS[6])
return {time, 'alive', version, wishes, time,
  sessions, redis.call('HMGET', KEYS[5], unpack(sessions)), changedIn(KEYS[7]), changedIn(KEYS[8]), changedIn(KEYS[9])}
`

/** Ends a session. KEYS 2 members, 3 version, 4 names, 5 wishes; ARGV 2 session */
export const leave = `
redis.call('ZREM', KEYS[2], ARGV[2])
for _, key in ipairs({KEYS[4], KEYS[5]}) do redis.call('HDEL', key, ARGV[2]) end
redis.call('INCR', KEYS[3])
return {time}
`

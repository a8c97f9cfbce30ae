/**
 * Notes which users at the service a cluster has, in a hash of all clusters, and finds the others that have one of them. The
 * clusters have no clock in common but that of the server.
 *
 * ARGV 2 key of the hash, 3 seconds for which a note counts, 4 name of the cluster, 5.. users. Answer: time, names of the others
 */
export const noteUsers = `
local now, own, names = tonumber(redis.call('TIME')[1]), {}, {}
for i = 5, #ARGV do
  own[ARGV[i]] = true
  redis.call('HSET', ARGV[2], ARGV[i] .. ' ' .. ARGV[4], now)
end
local all = redis.call('HGETALL', ARGV[2])
for i = 1, #all, 2 do
  local user, name = string.match(all[i], '^(%S+) (.+)$')
  if now - all[i + 1] > tonumber(ARGV[3]) then redis.call('HDEL', ARGV[2], all[i])
  elseif own[user] and name ~= ARGV[4] then names[#names + 1] = name end
end
return {time, names}
`

/** Tells once in an interval that it is time to look. KEYS 2 server; ARGV 2 interval. Answer: time, 1 or 0 */
export const isDue = `
local before = redis.call('HGET', KEYS[2], 'cleaned')
if before and time - before < tonumber(ARGV[2]) then return {time, 0} end
redis.call('HSET', KEYS[2], 'cleaned', string.format('%d', time))
return {time, 1}
`

/**
 * Deletes the cursors that nobody has used for a long time, a portion of them. One whose lease somebody holds is used
 * now, though it may not have changed for long: that is noted once a day.
 *
 * KEYS 2 members, 3 changed cursors, 4 leases, 5 the beginning of the keys of panels: which ones there are, only the server
 * knows; ARGV of this and of the next ones 2 time for which they are kept, 3 portion, 4 position, 0 at first
 * Answer: time, the next position, -1 at the end
 */
export const forgetCursors = `
local portion, position = tonumber(ARGV[3]), tonumber(ARGV[4])
local found = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', time - 86400000, 'WITHSCORES', 'LIMIT', position, portion)
for i = 1, #found, 2 do
  local name = found[i]
  local session = string.match(redis.call('HGET', KEYS[4], name) or '', '^%d+')
  if session and isAlive(KEYS[2], session) then
    -- So long ago that nobody copies it.
    redis.call('ZADD', KEYS[3], time - 120000, name)
  elseif tonumber(found[i + 1]) < time - ARGV[2] then
    redis.call('DEL', KEYS[5] .. name .. ':cursor', KEYS[5] .. name .. ':intents')
    redis.call('ZREM', KEYS[3], name)
  else position = position + 1 end
end
return {time, #found < 2 * portion and -1 or position}
`

/** Returns a script that deletes the fields of a hash whose value fulfills a condition, a portion of them. KEYS 2 members, 3 hash */
function forgetFields(condition: string): string {
  return `
local found = redis.call('HSCAN', KEYS[3], ARGV[4], 'COUNT', ARGV[3])
for i = 1, #found[2], 2 do
  local number = string.match(found[2][i + 1], '^%d+')
  if ${condition} then redis.call('HDEL', KEYS[3], found[2][i]) end
end
return {time, found[1] == '0' and -1 or found[1]}
`
}

/** Deletes the leases of dead sessions, which are free without it. */
export const forgetLeases = forgetFields('not isAlive(KEYS[2], number)')

/** Deletes the works that were begun long ago. */
export const forgetWorks = forgetFields('time - number > tonumber(ARGV[2])')

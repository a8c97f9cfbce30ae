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
 * now, though it may not have changed for long.
 *
 * KEYS 2 members, 3 leases, 4 changed cursors, 5 the beginning of the keys of panels: which ones there are, only the server
 * knows; ARGV 2 time for which they are kept, 3 time after which a use is noted, 4 position, 5 portion
 * Answer: time, the next position, -1 at the end
 */
export const forgetCursors = `
local most = tonumber(ARGV[5])
local found = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', time - ARGV[3], 'WITHSCORES', 'LIMIT', ARGV[4], most)
local position = tonumber(ARGV[4])
for i = 1, #found, 2 do
  local name = found[i]
  local session = string.match(redis.call('HGET', KEYS[3], name) or '', '^%d+')
  if session and isAlive(KEYS[2], session) then
    -- So long ago that nobody copies it.
    redis.call('ZADD', KEYS[4], time - 120000, name)
  elseif tonumber(found[i + 1]) < time - ARGV[2] then
    redis.call('DEL', KEYS[5] .. name .. ':cursor', KEYS[5] .. name .. ':intents')
    redis.call('ZREM', KEYS[4], name)
  else position = position + 1 end
end
return {time, #found < 2 * most and -1 or position}
`

/**
 * Deletes the leases of dead sessions, which are free without it, and the works that were begun long ago, a portion of each.
 *
 * KEYS 2 members, 3 leases, 4 begun works; ARGV 2 time for which works are kept, 3 portion, 4-5 positions, -1 at the end
 * Answer: time, the next positions
 */
export const forgetFields = `
local function scan(key, position, isUnused)
  if position == '-1' then return position end
  local found = redis.call('HSCAN', key, position, 'COUNT', ARGV[3])
  local fields = found[2]
  for i = 1, #fields, 2 do if isUnused(fields[i + 1]) then redis.call('HDEL', key, fields[i]) end end
  return found[1] == '0' and '-1' or found[1]
end
local function isDead(token) return not isAlive(KEYS[2], string.match(token, '^%d+')) end
local function isOld(work) return time - string.match(work, '^%d+') > tonumber(ARGV[2]) end
return {time, scan(KEYS[3], ARGV[4], isDead), scan(KEYS[4], ARGV[5], isOld)}
`

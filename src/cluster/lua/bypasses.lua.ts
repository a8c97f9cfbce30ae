/**
 * Reads the bypass records of a panel. A record begins with the session of the instance that made it.
 *
 * KEYS 2 members, 3 records. Answer: time, by partition: partition, record, 1 if the session is alive
 */
export const read = `
local found = {}
local all = redis.call('HGETALL', KEYS[3])
for i = 1, #all, 2 do
  local lives = isAlive(KEYS[2], string.match(all[i + 1], '^%d+'))
  for _, one in ipairs({all[i], all[i + 1], lives and 1 or 0}) do found[#found + 1] = one end
end
return {time, found}
`

/**
 * Writes bypass records of a panel, and tells the other instances.
 *
 * KEYS 2 members, 3 records, 4 hints; ARGV 2 session, 3 hint, 4.. pairs of partition and record, an empty one to remove it
 * Answer: time, `saved` | `lost` (the session)
 */
export const write = `
if not isAlive(KEYS[2], ARGV[2]) then return {time, 'lost'} end
for i = 4, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[3], ARGV[i]) else redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
end
redis.call('ZADD', KEYS[4], time, ARGV[3])
return {time, 'saved'}
`

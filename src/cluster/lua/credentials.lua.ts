/** Changes fields of a hash. KEYS 2 hash; ARGV 2.. pairs of field and value; an empty value deletes the field */
export const save = `
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[2], ARGV[i]) else redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
end
return {time}
`

/** Adds the fields that a hash lacks. KEYS 2 hash; ARGV 2.. pairs of field and value */
export const restore = `
for i = 2, #ARGV, 2 do redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1]) end
return {time}
`

/**
 * Takes a lock that is free, or that a dead session or this one has.
 *
 * KEYS 2 members, 3 locks; ARGV 2 session, 3 name, 4 token, which begins with the session. Answer: time, 1 if it was taken
 */
export const lock = `
local holder = string.match(redis.call('HGET', KEYS[3], ARGV[3]) or '', '^%d+')
if holder and holder ~= ARGV[2] and isAlive(KEYS[2], holder) then return {time, 0} end
redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
return {time, 1}
`

/**
 * Changes a field of a hash, if the session that has the lock still works under it.
 *
 * KEYS 2 hash, 3 locks; ARGV 2 field, 3 value, 4 name of the lock, 5 token, 6 a field that ends, or nothing
 */
export const saveLocked = `
if redis.call('HGET', KEYS[3], ARGV[4]) == ARGV[5] then
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
  if ARGV[6] ~= '' then redis.call('HDEL', KEYS[2], ARGV[6]) end
end
return {time}
`

/**
 * Tells who holds leases, and takes those that are free, nobody's or those of dead sessions, where it may. A token is
 * `<session> <number>`.
 *
 * KEYS 2 members, 3 leases, 4 counter of tokens; ARGV 2 session, 3.. pairs of name and 1 if it may be taken
 * Answer: time, `ok` | `unknown`, the token of each lease, empty where it is free
 */
export const claim = `
if not isAlive(KEYS[2], ARGV[2]) then return {time, 'unknown'} end
local tokens, isHolding = {}, {}
for i = 3, #ARGV, 2 do
  local token = redis.call('HGET', KEYS[3], ARGV[i]) or ''
  local holder = string.match(token, '^%d+')
  if holder and isHolding[holder] == nil then isHolding[holder] = isAlive(KEYS[2], holder) and true or false end
  if not holder or not isHolding[holder] then
    token = ''
    if ARGV[i + 1] == '1' then
      token = string.format('%s %d', ARGV[2], redis.call('INCR', KEYS[4]))
      redis.call('HSET', KEYS[3], ARGV[i], token)
    end
  end
  tokens[#tokens + 1] = token
end
return {time, 'ok', tokens}
`

/** Gives leases or locks up. KEYS 2 leases or locks, 3 version, for leases; ARGV 2.. pairs of name and token */
export const release = `
local isChanged = false
for i = 2, #ARGV, 2 do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[i + 1] then
    redis.call('HDEL', KEYS[2], ARGV[i])
    isChanged = true
  end
end
if isChanged and KEYS[3] then redis.call('INCR', KEYS[3]) end
return {time}
`

/**
 * Begins a work of the holder, unless another session has begun it a short time ago. What a session did not end that
 * has left, and all that a killed one has begun, is begun again after a gap of its own: nobody has looked since. A work that was
 * left open may never have been sent, so it puts the next one off no longer than the one before it does. Published answers are
 * deleted when nobody follows.
 *
 * KEYS 2 members, 3 leases, 4 begun works, 5 followers, 6 published answers, 7 killed sessions; ARGV 2 session, 3 name, 4 token, 5 work,
 * 6 least gap, 7 least gap after a kill
 * Answer: time, `begun` | `recent` | `lost`; begun: the shortest interval of a follower, 0 without one; recent: the
 * milliseconds until it may be begun
 */
export const begin = `
if redis.call('HGET', KEYS[3], ARGV[3]) ~= ARGV[4] or not isAlive(KEYS[2], ARGV[2]) then return {time, 'lost'} end
local field = ARGV[3] .. ' ' .. ARGV[5]
local before = redis.call('HGET', KEYS[4], field)
local ended = ''
if before then
  local at, session, isOpen, earlier = string.match(before, '(%d+) (%d+) (%d) ?(%d*)')
  ended = isOpen == '1' and earlier or at
  local isKilled = redis.call('ZSCORE', KEYS[2], session) or redis.call('ZSCORE', KEYS[7], session)
  local isLeft = not isAlive(KEYS[2], session) and (isOpen == '1' or isKilled)
  local left = at + (isLeft and ARGV[7] or ARGV[6]) - time
  if isLeft and isOpen == '1' and ended ~= '' then left = math.min(left, ended + ARGV[6] - time) end
  if session ~= ARGV[2] and left > 0 then return {time, 'recent', left} end
end
redis.call('HSET', KEYS[4], field, string.format('%d %s 1 %s', time, ARGV[2], ended))
local every = 0
local followers = redis.call('HGETALL', KEYS[5])
for i = 1, #followers, 2 do
  local one = tonumber(followers[i + 1])
  if followers[i] == ARGV[2] or not isAlive(KEYS[2], followers[i]) then redis.call('HDEL', KEYS[5], followers[i])
  elseif every == 0 or one < every then every = one end
end
if every == 0 then redis.call('DEL', KEYS[6]) end
return {time, 'begun', every}
`

/**
 * Ends a work. KEYS 2 begun works; ARGV 2 session, 3 name, 4 work, 5 milliseconds by which the request was sent before it
 * was begun, or negative after it
 */
export const end = `
local field = ARGV[3] .. ' ' .. ARGV[4]
local at, session = string.match(redis.call('HGET', KEYS[2], field) or '', '(%d+) (%d+)')
if session == ARGV[2] then
  redis.call('HSET', KEYS[2], field, string.format('%d %s 0', math.max(0, at - ARGV[5]), session))
end
return {time}
`

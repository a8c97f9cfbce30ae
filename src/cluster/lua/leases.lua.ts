/** The session of a token (`<session> <number>`), and a new one. */
const common = `
local function sessionOf(token) return token and string.match(token, '^%d+') end
local function newToken(session, counter) return string.format('%s %d', session, redis.call('INCR', counter)) end
`

/**
 * Takes free leases, nobody's or those of dead sessions, but no more than a number of them.
 *
 * KEYS 2 members, 3 leases, 4 counter of tokens; ARGV 2 session, 3 most, 4.. names
 * Answer: time, `ok` | `unknown`, the token of each lease, empty where it is free
 */
export const claim = `${common}
if not isAlive(KEYS[2], ARGV[2]) then return {time, 'unknown'} end
local most, tokens, known = tonumber(ARGV[3]), {}, {}
for i = 4, #ARGV do
  local token = redis.call('HGET', KEYS[3], ARGV[i])
  local session = sessionOf(token)
  if session and known[session] == nil then known[session] = isAlive(KEYS[2], session) and true or false end
  if not session or not known[session] then
    token = ''
    if most > 0 then
      most = most - 1
      token = newToken(ARGV[2], KEYS[4])
      redis.call('HSET', KEYS[3], ARGV[i], token)
    end
  end
  tokens[#tokens + 1] = token
end
return {time, 'ok', tokens}
`

/** Asks for leases that others hold. KEYS 2 asked leases; ARGV 2 session, 3.. names */
export const ask = `
for i = 3, #ARGV do redis.call('HSET', KEYS[2], ARGV[i], ARGV[2]) end
return {time}
`

/** Withdraws what a session has asked for. KEYS 2 asked leases; ARGV 2 session, 3.. names */
export const withdraw = `
for i = 3, #ARGV do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[2] then redis.call('HDEL', KEYS[2], ARGV[i]) end
end
return {time}
`

/**
 * Tells for which of these leases of a session another one asks: 1 or 0 each. It may have asked itself before it took one.
 *
 * KEYS 2 members, 3 asked leases; ARGV 2 session, 3.. names
 */
export const asked = `${common}
local found = {}
for i = 3, #ARGV do
  local asker = redis.call('HGET', KEYS[3], ARGV[i])
  if asker and (asker == ARGV[2] or not isAlive(KEYS[2], asker)) then
    redis.call('HDEL', KEYS[3], ARGV[i])
    asker = false
  end
  found[#found + 1] = asker and 1 or 0
end
return {time, found}
`

/**
 * Passes a lease to the live session that asks for it, and gives up those that go with it.
 *
 * KEYS 2 members, 3 leases, 4 counter of tokens, 5 asked leases, 6 version; ARGV 2 session, 3 name, 4 token, 5.. names
 * of those that go with it
 * Answer: time, 1 if it was passed
 */
export const pass = `${common}
local asker = redis.call('HGET', KEYS[5], ARGV[3])
if not asker then return {time, 0} end
redis.call('HDEL', KEYS[5], ARGV[3])
if redis.call('HGET', KEYS[3], ARGV[3]) ~= ARGV[4] or asker == ARGV[2] or not isAlive(KEYS[2], asker) then return {time, 0} end
redis.call('HSET', KEYS[3], ARGV[3], newToken(asker, KEYS[4]))
for i = 5, #ARGV do
  if sessionOf(redis.call('HGET', KEYS[3], ARGV[i])) == ARGV[2] then redis.call('HDEL', KEYS[3], ARGV[i]) end
end
redis.call('INCR', KEYS[6])
return {time, 1}
`

/** Gives a lease up, and the wish for it. KEYS 2 leases, 3 version, 4 asked leases; ARGV 2 name, 3 token, 4 session */
export const release = `
if redis.call('HGET', KEYS[4], ARGV[2]) == ARGV[4] then redis.call('HDEL', KEYS[4], ARGV[2]) end
if redis.call('HGET', KEYS[2], ARGV[2]) == ARGV[3] then
  redis.call('HDEL', KEYS[2], ARGV[2])
  redis.call('INCR', KEYS[3])
end
return {time}
`

/**
 * Begins a work of the holder, unless another session has begun it a short time ago. What a dead session did not end
 * is begun again. Published answers are deleted when nobody follows.
 *
 * KEYS 2 members, 3 leases, 4 begun works, 5 followers, 6 published answers; ARGV 2 session, 3 name, 4 token, 5 work,
 * 6 least gap
 * Answer: time, `begun` | `recent` | `lost`; begun: the shortest interval of a follower, 0 without one
 */
export const begin = `${common}
if redis.call('HGET', KEYS[3], ARGV[3]) ~= ARGV[4] or not isAlive(KEYS[2], ARGV[2]) then return {time, 'lost'} end
local field = ARGV[3] .. ' ' .. ARGV[5]
local before = redis.call('HGET', KEYS[4], field)
if before then
  local at, session, isOpen = string.match(before, '(%d+) (%d+) (%d)')
  local isLeft = isOpen == '1' and not isAlive(KEYS[2], session)
  if session ~= ARGV[2] and time - at < tonumber(ARGV[6]) and not isLeft then return {time, 'recent'} end
end
redis.call('HSET', KEYS[4], field, string.format('%d %s 1', time, ARGV[2]))
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
 * was begun
 */
export const end = `
local field = ARGV[3] .. ' ' .. ARGV[4]
local at, session = string.match(redis.call('HGET', KEYS[2], field) or '', '(%d+) (%d+)')
if session == ARGV[2] then
  redis.call('HSET', KEYS[2], field, string.format('%d %s 0', math.max(0, at - ARGV[5]), session))
end
return {time}
`

/**
 * The begin of each script of a service user: the lowest cap, the backoff, and the answer.
 *
 * KEYS 2 server, 3 members, 4 caps by session, 5 state, 6 guards, 7 open attempts, 8-10 the logs of the lanes
 * command, urgent and poll, 11 changed users, 12 reserves; ARGV 2 session, 3 cap (negative: it lowers
 * only the limit of this caller), 4 window, 5 margin, 6 user
 */
const common = `
local session, cap, window, margin = ARGV[2], math.abs(tonumber(ARGV[3])), tonumber(ARGV[4]), tonumber(ARGV[5])
local logs = {KEYS[8], KEYS[9], KEYS[10]}
if not redis.call('HGET', KEYS[2], 'run') then return {time, 'forgotten'} end

local function lowestCap()
  local lowest = cap
  local caps = redis.call('HGETALL', KEYS[4])
  for i = 1, #caps, 2 do
    if caps[i] == session or isAlive(KEYS[3], caps[i]) then lowest = math.min(lowest, tonumber(caps[i + 1]))
    else redis.call('HDEL', KEYS[4], caps[i]) end
  end
  return lowest
end

local function readBackoff()
  local since, ends, requested, code, status, by =
    unpack(redis.call('HMGET', KEYS[5], 'since', 'until', 'requested', 'code', 'status', 'by'))
  if not since then return nil end
  return {since = tonumber(since), ends = tonumber(ends), requested = tonumber(requested), code = code, status = status, by = by}
end

local function backOff(ends, requested, code, status, by)
  local before = readBackoff()
  if before then requested = math.max(requested, before.requested) end
  if before and ends <= before.ends then redis.call('HSET', KEYS[5], 'requested', requested, 'probing', 1)
  else
    redis.call('HSET', KEYS[5], 'since', time, 'until', ends, 'requested', requested,
      'code', code, 'status', status, 'by', by, 'probing', 1)
  end
end

-- Who ended between a sign-in and its answer leaves a backoff.
local guards = redis.call('HGETALL', KEYS[6])
for i = 1, #guards, 2 do
  local owner, ends = string.match(guards[i + 1], '(%d+) (%d+)')
  if not isAlive(KEYS[3], owner) then
    redis.call('HDEL', KEYS[6], guards[i])
    if tonumber(ends) > time then backOff(tonumber(ends), tonumber(ends), 'LOGIN_BLOCKED', '', guards[i]) end
  end
end

for _, log in ipairs(logs) do redis.call('ZREMRANGEBYSCORE', log, '-inf', time) end
redis.call('ZREMRANGEBYSCORE', KEYS[7], '-inf', time)
local function tellOthers() redis.call('ZADD', KEYS[11], time, ARGV[6]) end
if tonumber(ARGV[3]) < 0 then
  if redis.call('HDEL', KEYS[4], session) == 1 then tellOthers() end
elseif redis.call('HGET', KEYS[4], session) ~= ARGV[3] then
  redis.call('HSET', KEYS[4], session, ARGV[3])
  tellOthers()
end

-- What belongs to single instances, also to those that are dead or cut off.
local reserved, reserves = 0, redis.call('HGETALL', KEYS[12])
for i = 1, #reserves, 2 do
  local amount, _, ends = string.match(reserves[i + 1], '(%d+) (%d+) (%d+)')
  if tonumber(ends) > time then reserved = reserved + amount else redis.call('HDEL', KEYS[12], reserves[i]) end
end
local limit = math.max(0, lowestCap() - reserved)

local function used(of)
  local count = 0
  for _, log in ipairs(of) do count = count + redis.call('ZCARD', log) end
  return count
end

local function report(result, wait)
  local backoff = readBackoff()
  local answer = {time, result, wait, limit, used(logs), reserved}
  if backoff then
    for _, value in ipairs({backoff.since - time, backoff.ends - time, backoff.requested - time}) do
      answer[#answer + 1] = value
    end
    answer[#answer + 1] = backoff.code
    answer[#answer + 1] = backoff.status
    answer[#answer + 1] = backoff.by
  end
  return answer
end
`

/** The begin of each script of an attempt: its log, and the pace of its lane. ARGV 7 id, 8 lane */
const ofLane = `
local id, lane = ARGV[7], ARGV[8]
local mine = logs[({command = 1, urgent = 2, poll = 3})[lane]]
local share = limit > 1 and limit - math.max(1, math.floor(limit / 10)) or limit
local burst = math.max(1, math.floor(share / (lane == 'urgent' and 2 or 4)))
local spacing = window / math.max(1, share - burst)
`

/**
 * Counts an attempt if there is room for it, by the rules of `SlidingWindow`: an attempt counts until a window after
 * its end; a tenth is reserved for commands, the other lanes share the rest, each with a burst, then evenly spaced.
 *
 * ARGV 7 id, 8 lane, 9 longest time of an attempt, 10 time for which it keeps others
 * from a try after a backoff. The score of an attempt is the time at which it stops to count.
 * Answer: `taken` or `full`, milliseconds to wait (-1: until a running attempt has ended), limit, used, backoff
 */
export const take = `${common}${ofLane}local longest = tonumber(ARGV[9])

-- The time at which these lanes use less than a number of attempts. One that runs may end at any moment, so it
-- leaves a window later at the soonest.
local function leaving(of, most)
  local excess = used(of) - most
  if excess < 0 then return 0 end
  local scores = {}
  for _, log in ipairs(of) do
    local entries = redis.call('ZRANGE', log, 0, excess, 'WITHSCORES')
    for i = 2, #entries, 2 do scores[#scores + 1] = math.min(tonumber(entries[i]), time + window + margin) end
  end
  table.sort(scores)
  return scores[excess + 1]
end

if limit < 1 then return report('full', -1) end
local opens = tonumber(redis.call('HGET', KEYS[2], 'quiet') or 0)
local backoff = readBackoff()
if backoff then
  opens = math.max(opens, backoff.requested)
  if lane ~= 'command' then opens = math.max(opens, backoff.ends) end
end
local isProbing = redis.call('HGET', KEYS[5], 'probing') == '1'
if opens <= time and isProbing and redis.call('ZCARD', KEYS[7]) > 0 then return report('full', -1) end
opens = math.max(opens, leaving(logs, limit))
local pace = tonumber(redis.call('HGET', KEYS[5], 'pace ' .. lane) or 0)
if lane ~= 'command' then
  opens = math.max(opens, leaving({KEYS[9], KEYS[10]}, share), pace - (burst - 1) * spacing)
end
if opens > time then return report('full', math.ceil(opens - time)) end
redis.call('ZADD', mine, time + longest + window + margin, id)
redis.call('ZADD', KEYS[7], time + ARGV[10], id)
if lane ~= 'command' then redis.call('HSET', KEYS[5], 'pace ' .. lane, string.format('%.3f', math.max(pace, time) + spacing)) end
return report('taken', 0)
`

/** Tells limit, use and backoff, and notes the cap. Answer: as that of `take`, with `seen`. */
export const refresh = `${common}
return report('seen', 0)
`

/** Begins a backoff. ARGV 7 pause, 8 requested (1 or 0), 9 code, 10 status, 11 id */
export const startBackoff = `${common}
local ends = time + ARGV[7]
backOff(ends, ARGV[8] == '1' and ends or 0, ARGV[9], ARGV[10], ARGV[11])
tellOthers()
return report('seen', 0)
`

/** Ends a backoff unless another one has begun. ARGV 7 its id */
export const endBackoff = `${common}
local by = redis.call('HGET', KEYS[5], 'by')
if not by or by == ARGV[7] then
  redis.call('HDEL', KEYS[5], 'since', 'until', 'requested', 'code', 'status', 'by', 'probing')
  tellOthers()
end
return report('seen', 0)
`

/** Notes the end of an attempt, also of one that the server has forgotten. KEYS 2 open attempts, 3 log; ARGV 2 id, 3 window and margin */
export const ended = `
redis.call('ZADD', KEYS[3], 'LT', time + ARGV[3], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
return {time}
`

/** Takes an attempt back that was not sent, with its part of the pace. Answer: as that of `refresh` */
export const giveBack = `${common}${ofLane}
redis.call('ZREM', KEYS[7], id)
local pace = redis.call('HGET', KEYS[5], 'pace ' .. lane)
if redis.call('ZREM', mine, id) == 1 and pace then
  redis.call('HSET', KEYS[5], 'pace ' .. lane, string.format('%.3f', pace - spacing))
end
return report('seen', 0)
`

/**
 * Puts back what an instance did itself, for a server that may have forgotten it. KEYS 2 open attempts, 3-5 logs;
 * ARGV 2 longest time for which an attempt keeps others from a try after a backoff; from 3 on, by threes: number of the lane, id, milliseconds for which it counts; a running one is negative
 */
export const restore = `
for i = 3, #ARGV, 3 do
  local counts = tonumber(ARGV[i + 2])
  redis.call('ZADD', KEYS[2 + ARGV[i]], time + math.abs(counts), ARGV[i + 1])
  if counts < 0 then redis.call('ZADD', KEYS[2], time + math.min(-counts, tonumber(ARGV[2])), ARGV[i + 1]) else redis.call('ZREM', KEYS[2], ARGV[i + 1]) end
end
return {time}
`

/** Notes or removes a guard. KEYS 2 guards; ARGV 2 id, 3 session, 4 pause, or 0 to remove it */
export const guard = `
if ARGV[4] == '0' then redis.call('HDEL', KEYS[2], ARGV[2])
else redis.call('HSET', KEYS[2], ARGV[2], string.format('%s %d', ARGV[3], time + ARGV[4])) end
return {time}
`

/** Counts sign-ins. KEYS 2 sign-ins; ARGV 2 how long they count, 3.. pairs of id and age. Answer: their number */
export const signIn = `
for i = 3, #ARGV, 2 do redis.call('ZADD', KEYS[2], time - ARGV[i + 1], ARGV[i]) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', time - ARGV[2])
return {time, redis.call('ZCARD', KEYS[2])}
`

/**
 * The begin of each script of a service user: the lowest cap, the backoff, and the answer. Each attempt runs it, so it
 * reads each key once.
 *
 * KEYS 2 server, 3 members, 4 caps by session, 5 state, 6 guards, 7-8 the logs: of commands, and of the other lanes,
 * 9 changed users; ARGV 2 session, 3 cap (negative: it lowers only the limit of this caller), 4 window, 5 margin, 6 user
 */
const common = `
local session, cap, window, margin = ARGV[2], math.abs(tonumber(ARGV[3])), tonumber(ARGV[4]), tonumber(ARGV[5])
local logs = {KEYS[7], KEYS[8]}
local run, quiet = unpack(redis.call('HMGET', KEYS[2], 'run', 'quiet'))
if not run then return {time, 'forgotten'} end

local today = math.floor(time / 86400000)
local backoff, isProbing, pace, usedToday
local function readState()
  local since, ends, requested, code, status, by, probing, urgent, poll, assured, day, count = unpack(redis.call('HMGET', KEYS[5],
    'since', 'until', 'requested', 'code', 'status', 'by', 'probing', 'pace urgent', 'pace poll', 'assured', 'day', 'used'))
  backoff = since and {since = tonumber(since), ends = tonumber(ends), requested = tonumber(requested), code = code, status = status, by = by}
  isProbing = probing == '1'
  pace = {urgent = tonumber(urgent), poll = tonumber(poll), assured = tonumber(assured)}
  usedToday = tonumber(day) == today and tonumber(count) or 0
end
readState()

local function backOff(ends, requested, code, status, by)
  if backoff then requested = math.max(requested, backoff.requested) end
  if backoff and ends <= backoff.ends then redis.call('HSET', KEYS[5], 'requested', requested, 'probing', 1)
  else
    redis.call('HSET', KEYS[5], 'since', time, 'until', ends, 'requested', requested,
      'code', code, 'status', status, 'by', by, 'probing', 1)
  end
  readState()
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

local function tellOthers() redis.call('ZADD', KEYS[9], time, ARGV[6]) end
-- Who is dead matters only where its cap would be the lowest.
local limit, noted, caps = cap, nil, redis.call('HGETALL', KEYS[4])
for i = 1, #caps, 2 do
  local other = tonumber(caps[i + 1])
  if caps[i] == session then noted = caps[i + 1]
  elseif other < limit and isAlive(KEYS[3], caps[i]) then limit = other end
end
if tonumber(ARGV[3]) < 0 then
  if noted then
    redis.call('HDEL', KEYS[4], session)
    tellOthers()
  end
elseif noted ~= ARGV[3] then
  for i = 1, #caps, 2 do
    if not isAlive(KEYS[3], caps[i]) then redis.call('HDEL', KEYS[4], caps[i]) end
  end
  redis.call('HSET', KEYS[4], session, ARGV[3])
  tellOthers()
end

local function use(of)
  redis.call('ZREMRANGEBYSCORE', of, '-inf', time)
  return redis.call('ZCARD', of)
end

local function report(result, wait, used)
  local answer = {time, result, wait, limit, used or use(logs[1]) + use(logs[2]), usedToday}
  if backoff then
    for _, value in ipairs({backoff.since - time, backoff.ends - time, backoff.requested - time,
      backoff.code, backoff.status, backoff.by}) do answer[#answer + 1] = value end
  end
  return answer
end
`

/** The begin of each script of an attempt: its log, and the pace of its lane. ARGV 7 id, 8 lane */
const ofLane = `
local id, lane = ARGV[7], ARGV[8]
local mine = logs[lane == 'command' and 1 or 2]
local reserve = limit > 1 and math.max(1, math.floor(limit / 10)) or 0
local share = limit - reserve
local urgentBurst = math.max(1, math.floor(share / 2))
local spacing = window / math.max(1, share - (lane == 'urgent' and urgentBurst or 0))
local function setPace(to) redis.call('HSET', KEYS[5], 'pace ' .. lane, string.format('%.3f', to)) end
`

/**
 * Counts an attempt if there is room for it, by the rules of `SlidingWindow`: an attempt counts until a window after
 * its end; a tenth is reserved for commands, the other lanes share the rest, each with a burst, then evenly spaced; polls
 * leave the reserve to commands that have used it, except for a tenth of the limit.
 * First it notes the ends of others.
 *
 * ARGV 7 id, 8 lane, 9 longest time of the attempt; 10.. ended attempts as in `note`. The score of an
 * attempt is the time at which it stops to count; so one that runs has a higher score than any that has ended.
 * Answer: `taken` or `full`, milliseconds to wait (-1: until a running attempt has ended), limit, used,
 * used today, backoff
 */
export const take = `${common}${ofLane}local longest = tonumber(ARGV[9])
for i = 10, #ARGV, 3 do redis.call('ZADD', logs[tonumber(ARGV[i])], 'LT', time + ARGV[i + 2], ARGV[i + 1]) end
local ofCommands, ofOthers = use(logs[1]), use(logs[2])
local used = ofCommands + ofOthers

-- The time at which these logs have less than a number of attempts. One that runs may end at any moment, so it
-- leaves a window later at the soonest.
local function leaving(of, count, most)
  local excess = count - most
  if excess < 0 then return 0 end
  local scores = {}
  for _, log in ipairs(of) do
    local entries = redis.call('ZRANGE', log, 0, excess, 'WITHSCORES')
    for i = 2, #entries, 2 do scores[#scores + 1] = math.min(tonumber(entries[i]), time + window + margin) end
  end
  table.sort(scores)
  return scores[excess + 1]
end

local function isRunning(log)
  return redis.call('ZCOUNT', log, string.format('(%d', time + window + margin), '+inf') > 0
end

local opens = tonumber(quiet or 0)
if backoff then
  opens = math.max(opens, backoff.requested)
  if lane ~= 'command' then opens = math.max(opens, backoff.ends) end
end
if opens <= time and isProbing and (isRunning(logs[1]) or isRunning(logs[2])) then return report('full', -1, used) end
opens = math.max(opens, leaving(logs, used, limit))
local mark = pace[lane] or 0
if lane ~= 'command' then
  local ahead = lane == 'urgent' and urgentBurst - 1 or math.max(0, share - ofOthers) / 4
  opens = math.max(opens, leaving({logs[2]}, ofOthers, share), mark - ahead * spacing)
end
local apart, assured = window / math.max(1, reserve), pace.assured or 0
if lane == 'poll' then opens = math.max(opens, math.min(leaving(logs, used, share), assured - window + apart)) end
if opens > time then return report('full', math.ceil(opens - time), used) end
redis.call('ZADD', mine, time + longest + window + margin, id)
usedToday = usedToday + 1
redis.call('HSET', KEYS[5], 'day', today, 'used', usedToday)
if lane ~= 'command' then setPace(math.max(mark, time) + spacing) end
if lane == 'poll' then
  redis.call('HSET', KEYS[5], 'assured', string.format('%.3f', math.min(math.max(assured, time) + apart, time + window)))
end
return report('taken', 0, used + 1)
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
if not backoff or backoff.by == ARGV[7] then
  redis.call('HDEL', KEYS[5], 'since', 'until', 'requested', 'code', 'status', 'by', 'probing')
  readState()
  tellOthers()
end
return report('seen', 0)
`

/**
 * Notes when attempts of an instance stop to count, also of those that the server has forgotten. KEYS 2-3 logs; ARGV
 * from 2 on, by threes: number of the log, id, milliseconds for which it counts
 */
export const note = `
for i = 2, #ARGV, 3 do redis.call('ZADD', KEYS[1 + ARGV[i]], 'LT', time + ARGV[i + 2], ARGV[i + 1]) end
return {time}
`

/** Takes an attempt back that was not sent, with its part of the pace. Answer: as that of `refresh` */
export const giveBack = `${common}${ofLane}
if redis.call('ZREM', mine, id) == 1 and pace[lane] then setPace(pace[lane] - spacing) end
return report('seen', 0)
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

/**
 * The begin of each script of a command queue: the commands of the last minute in their order. Those of dead sessions
 * are left to whoever waits for the same command, or lost if they may have been sent. Those for which nobody looks are
 * left too: the answer that told their instance about them was lost.
 *
 * KEYS 2 members, 3 commands by number, 4 queue (latest number, latest start, latest disarm by scope), 5 open effects
 * by number, 6 outcomes by number; ARGV 2 session
 *
 * A command: number, session, arrived, seen, ended, state, arms, disarms, scope (`*` is the whole panel), key (what makes it
 * the same for two instances), joined (sessions), what (sealed, until it is told), isOrphan (nobody has ended it). States: waiting -> running -> sending -> ended, or left, or lost.
 */
const common = `
local kept, unseen = 60000, 5000
local session = ARGV[2]

local function idOf(command) return string.format('%d', command.number) end
local function write(command) redis.call('HSET', KEYS[3], idOf(command), cjson.encode(command)) end

local commands = {}
local all = redis.call('HGETALL', KEYS[3])
for i = 1, #all, 2 do
  local command = cjson.decode(all[i + 1])
  local isForgotten = command.state ~= 'sending' and time - command.seen > unseen
  if command.ended == 0 and (isForgotten or not isAlive(KEYS[2], command.session)) then
    command.isOrphan = true
    command.state = command.state == 'sending' and 'lost' or 'left'
    command.ended = time
    write(command)
  end
  if command.ended > 0 and time - command.ended > kept then
    redis.call('HDEL', KEYS[3], all[i])
    redis.call('HDEL', KEYS[6], all[i])
  else commands[#commands + 1] = command end
end
table.sort(commands, function(one, other) return one.number < other.number end)

local function find(id)
  for _, command in ipairs(commands) do if idOf(command) == id then return command end end
end

local function latestDisarm(scope)
  local latest = 0
  local fields = redis.call('HGETALL', KEYS[4])
  for i = 1, #fields, 2 do
    local other = string.match(fields[i], '^disarm (.+)')
    if other and (scope == '*' or other == '*' or other == scope) then latest = math.max(latest, tonumber(fields[i + 1])) end
  end
  return latest
end

local function isReplaced(command) return command.arms and latestDisarm(command.scope) > command.number end
`

/** The rules of the order. ARGV 3 longest wait of a disarm for the command before it */
const order = `${common}
-- Waits a little longer for the newest disarm, whose instance may have stopped.
local patience = 1000

local function mayStart(command)
  local first, newest, oldest
  local isBusy = false
  for _, one in ipairs(commands) do
    -- What is replaced before it could be sent never will be.
    if one.state == 'sending' or one.state == 'running' and not isReplaced(one) then isBusy = true end
    if one.state == 'waiting' and not isReplaced(one) then
      first = first or one
      if one.disarms then
        oldest = oldest or one
        newest = one
      end
    end
  end
  local isNext = command == (newest or first)
  if isNext and not isBusy then return true end
  if not command.disarms then return false end
  local started = tonumber(redis.call('HGET', KEYS[4], 'started') or 0)
  local function isOverdue(one, wait) return time >= math.max(one.arrived, started) + wait end
  return isNext and isOverdue(oldest, tonumber(ARGV[3])) or isOverdue(command, ARGV[3] + patience)
end

local function look(command)
  command.seen = time
  write(command)
  if isReplaced(command) then return {time, 'replaced', idOf(command)} end
  if command.state == 'waiting' then
    if not mayStart(command) then return {time, 'waiting', idOf(command)} end
    command.state = 'running'
    write(command)
    redis.call('HSET', KEYS[4], 'started', time)
  end
  return {time, 'turn', idOf(command), redis.call('HGETALL', KEYS[5])}
end
`

/**
 * Adds a command, or joins the same one that another session has added a moment ago.
 *
 * ARGV 4 what it does: arms, disarms or other, 5 scope, 6 key or nothing, 7 1 if it joins although other commands came in between,
 * 8 milliseconds for which it joins, 9 the sealed command in base64, to be told if its instance is killed, or nothing
 * Answer: time, `joined` | `waiting` | `turn` | `unknown` (the session), number, effects if it is its turn
 */
export const enter = `${order}
if not isAlive(KEYS[2], session) then return {time, 'unknown'} end
local kind, scope, key = ARGV[4], ARGV[5], ARGV[6]
for i, command in ipairs(commands) do
  local isSame = key ~= '' and command.key == key and command.session ~= session
  if isSame and not command.joined[session] and time - command.arrived <= tonumber(ARGV[8]) then
    local isLatest = true
    for later = i + 1, #commands do if commands[later].key ~= key then isLatest = false end end
    if isLatest or ARGV[7] == '1' then
      command.joined[session] = true
      write(command)
      return {time, 'joined', idOf(command)}
    end
  end
end
-- Never used again, not even by a server that has lost its data.
local number = math.max(tonumber(redis.call('HGET', KEYS[4], 'latest') or 0) + 1, time)
redis.call('HSET', KEYS[4], 'latest', string.format('%d', number))
if kind == 'disarms' then redis.call('HSET', KEYS[4], 'disarm ' .. scope, string.format('%d', number)) end
local command = {
  number = number, session = session, arrived = time, seen = time, ended = 0, state = 'waiting',
  arms = kind == 'arms', disarms = kind == 'disarms', scope = scope, key = key, joined = {}, what = ARGV[9]
}
commands[#commands + 1] = command
return look(command)
`

/**
 * Tells if it is the turn of a command, and notes that it may be sent from now on if it is to be.
 *
 * ARGV 4 number, 5 `send` if it is to be sent, 6 its sealed effect or nothing
 * Answer: time, `waiting` | `turn` | `replaced` | `gone`, number, effects if it is its turn
 */
export const look = `${order}
local command = find(ARGV[4])
if not command or command.session ~= session or command.ended > 0 then return {time, 'gone', ARGV[4]} end
local answer = look(command)
if answer[2] == 'turn' and ARGV[5] == 'send' then
  command.state = 'sending'
  write(command)
  if ARGV[6] ~= '' then redis.call('HSET', KEYS[5], ARGV[4], ARGV[6]) end
end
return answer
`

/**
 * Ends a command. Does nothing if another session has taken it over.
 *
 * ARGV 3 number, 4 ended | left (it certainly was not sent, another one may) | lost (its outcome is not known), 5 sealed
 * outcome or nothing, 6 sealed effect that may still come or nothing, 7.. numbers of effects that no longer matter
 */
export const finish = `${common}
local command = find(ARGV[3])
if command and command.session ~= session then return {time} end
if command then
  command.state = ARGV[4]
  command.ended = time
  write(command)
  if ARGV[5] ~= '' then redis.call('HSET', KEYS[6], ARGV[3], ARGV[5]) end
end
if ARGV[6] == '' then redis.call('HDEL', KEYS[5], ARGV[3]) else redis.call('HSET', KEYS[5], ARGV[3], ARGV[6]) end
for i = 7, #ARGV do
  local other = find(ARGV[i])
  if not other or other.state ~= 'sending' then redis.call('HDEL', KEYS[5], ARGV[i]) end
end
return {time}
`

/**
 * Tells what became of a command that was joined, and takes it over if nobody is about to send it. ARGV 3 number
 * Answer: time, `waiting` | `ended` | `lost` | `gone` | `taken over` | `unknown` (the session), sealed outcome if it has ended
 */
export const follow = `${common}
if not isAlive(KEYS[2], session) then return {time, 'unknown'} end
local command = find(ARGV[3])
if not command then return {time, 'gone'} end
if command.state == 'ended' then return {time, 'ended', redis.call('HGET', KEYS[6], ARGV[3]) or ''} end
if command.state == 'lost' then return {time, 'lost'} end
if command.state ~= 'left' then return {time, 'waiting'} end
command.session = session
command.state = 'waiting'
command.seen = time
command.ended = 0
write(command)
return {time, 'taken over'}
`

/**
 * Takes the commands of dead sessions that nobody else has joined, so that they are told once.
 * Answer: time, by pairs: `lost` | `left`, the sealed command in base64
 */
export const takeOrphans = `${common}
local orphans = {}
for _, command in ipairs(commands) do
  local isTold = command.what == '' or isAlive(KEYS[2], command.session)
  for session in pairs(command.joined) do isTold = isTold or isAlive(KEYS[2], session) and true end
  if command.isOrphan and not isTold and (command.state == 'lost' or command.state == 'left') then
    orphans[#orphans + 1] = command.state
    orphans[#orphans + 1] = command.what
    command.what = ''
    write(command)
  end
end
return {time, orphans}
`

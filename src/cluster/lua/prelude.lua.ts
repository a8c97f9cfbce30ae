/**
 * The beginning of every script: what time it is for all instances, as `time` in milliseconds, and `isAlive`, which tells
 * if a session of the members has not ended by then.
 *
 * It is the server's wall clock, but it never goes back, never on by more than a second between two scripts and,
 * where the caller says what time it should be by its own monotonic clock, never more than 100 ms beyond that. So a
 * step of the server's clock ends no window and no lease too soon. An expiry of Redis would follow the wall clock,
 * so only what the service can be asked again has one.
 *
 * KEYS 1 clock; ARGV 1 the latest time that it can be by the caller's clock, or 0. An answer begins with `time`.
 */
export const prelude = `
local function moveClock(key, latest)
  local server = redis.call('TIME')
  local wall = server[1] * 1000 + math.floor(server[2] / 1000)
  local time = wall
  local before = redis.call('GET', key)
  if before then
    local was, at = string.match(before, '(%d+) (%d+)')
    was = tonumber(was)
    time = was + math.min(math.max(wall - at, 0), 1000)
    if latest > 0 then time = math.max(was, math.min(time, latest + 100)) end
  end
  redis.call('SET', key, string.format('%d %d', time, wall))
  return time
end
local time = moveClock(KEYS[1], tonumber(ARGV[1]))
local function isAlive(members, session)
  local ends = redis.call('ZSCORE', members, session)
  return ends and tonumber(ends) > time
end
`

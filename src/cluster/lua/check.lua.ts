/** The arguments after the key with which a check tries each command that scripts and stores use. */
const trials = {
  DEL: [],
  GET: [],
  HDEL: ['a'],
  HGET: ['a'],
  HGETALL: [],
  HLEN: [],
  HMGET: ['a'],
  HSCAN: ['0'],
  HSET: ['a', '1'],
  HSETNX: ['a', '1'],
  INCR: [],
  LRANGE: ['0', '0'],
  RPUSH: ['1'],
  SET: ['1'],
  ZADD: ['1', 'a'],
  ZCARD: [],
  ZCOUNT: ['0', '0'],
  ZRANGE: ['0', '0'],
  ZRANGEBYSCORE: ['0', '0'],
  ZREM: ['a'],
  ZREMRANGEBYSCORE: ['0', '0'],
  ZSCORE: ['a'],
} as const

/** A command that the user of the server needs the right for. */
export type UsedCommand = keyof typeof trials

/** The commands that scripts and stores use. */
export const usedCommands: readonly string[] = ['TIME', ...Object.keys(trials)]

/**
 * Tries each command on a key of its own, which it removes. Only a refusal for want of a right counts; one because of
 * the type of the key shows that the command is allowed.
 *
 * KEYS 2 key of the trial; ARGV 2 a key outside the cluster that is read too
 * Answer: time, the first command that is not allowed, or nothing
 */
export const tryCommands = `
local function isDenied(...)
  local answer = redis.pcall(...)
  local refusal = type(answer) == 'table' and answer.err or ''
  return refusal:find('NOPERM') or refusal:find('ACL failure') or refusal:find('user executing the script')
end
for _, call in ipairs({
${Object.entries(trials)
  .map(
    ([command, args]) => `  {${[`'${command}'`, 'KEYS[2]', ...args.map((arg) => `'${arg}'`)].join(', ')}},`,
  )
  .join('\n')}
}) do
  if isDenied(unpack(call)) then return {time, call[1]} end
end
redis.call('DEL', KEYS[2])
return {time, isDenied('HGETALL', ARGV[2]) and 'HGETALL' or ''}
`

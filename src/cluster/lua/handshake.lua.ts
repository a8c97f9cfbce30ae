/**
 * Compares what the server is with what it was at the latest handshake, and begins a quiet time in which
 * no attempt is counted: it may have forgotten attempts that others know. The generation that this gives the data
 * tells the instances whose handshake comes later too.
 *
 * KEYS 2 server; ARGV 2 run id of the server, 3 format of the keys, 4 quiet time if nothing is known, 5 quiet time
 * if it is another server, 6 generation, if it is not known
 * Answer: time, `blank` | `other` | `known` | `format`, milliseconds of quiet time left,
 * generation
 */
export const handshake = `
local run, format, quiet, generation = unpack(redis.call('HMGET', KEYS[2], 'run', 'format', 'quiet', 'generation'))
if format and format ~= ARGV[3] then return {time, 'format', 0, ''} end
local found = not run and 'blank' or run ~= ARGV[2] and 'other' or 'known'
quiet = tonumber(quiet or 0)
if found == 'blank' then quiet = time + ARGV[4] end
if found == 'other' then quiet = math.max(quiet, time + ARGV[5]) end
if found ~= 'known' then
  redis.call('HSET', KEYS[2], 'run', ARGV[2], 'format', ARGV[3], 'quiet', quiet, 'generation', ARGV[6])
  generation = ARGV[6]
end
return {time, found, math.max(0, quiet - time), generation}
`

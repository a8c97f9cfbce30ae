import { type Clock, systemClock } from '../../src/clock.ts'
import { clusterSettings } from '../../src/cluster/cluster-settings.ts'
import { Connection, type Sender } from '../../src/cluster/redis/connection.ts'
import { type HandshakeResult, performHandshake, type QuietTimes } from '../../src/cluster/redis/handshake.ts'
import { Scripts, script, type UserParts } from '../../src/cluster/redis/scripts.ts'
import { SharedClock } from '../../src/cluster/redis/shared-clock.ts'
import { until } from '../clock/until.ts'
import type { RedisServer } from '../redis-server.ts'

/** Quiet times that a test can wait for. */
export const shortQuietTimes: QuietTimes = { blank: 0, other: 0 }

/** An instance as far as its scripts. */
export interface ConnectedScripts {
  connection: Connection
  scripts: Scripts
  sharedClock: SharedClock
  /** The results of the handshakes, in order. */
  handshakes: HandshakeResult[]
  /** Sends a command of Redis; the key gets the prefix. */
  command(command: string, key: string, ...args: (string | number)[]): Promise<unknown>
  close(): void
}

/**
 * Connects to a server, and resolves after the handshake.
 * @throws KeyholderError if the first attempt fails
 */
export async function connectScripts(
  server: RedisServer,
  {
    quiet = shortQuietTimes,
    clock = systemClock,
    afterHandshake = async () => {},
    onForgotten = () => {},
  }: {
    quiet?: QuietTimes
    clock?: Clock
    afterHandshake?: (scripts: Scripts) => Promise<void>
    onForgotten?: () => void
  } = {},
): Promise<ConnectedScripts> {
  const sharedClock = new SharedClock(clock)
  const timed = (sender: Sender) => (clock === systemClock ? sender : withoutRealTime(sender))
  const handshakes: HandshakeResult[] = []
  const settings = clusterSettings({ address: server.address, clusterName: 'test' })
  const connection: Connection = new Connection(settings, {
    // A driven clock must not end a command that the server is about to answer.
    clock: systemClock,
    handshake: async (sender, info) => {
      handshakes.push(await performHandshake(scripts.through(timed(sender)), sharedClock, info, quiet))
      await afterHandshake(scripts.through(timed(sender)))
    },
    onChange: () => {},
  })
  const sender = timed(connection)
  const scripts = new Scripts({ sender, sharedClock, clock, clusterName: 'test', onForgotten })
  connection.open()
  await until(() => connection.isOpen || connection.failure !== undefined)
  const { failure } = connection
  if (failure !== undefined) {
    connection.close()
    throw failure
  }
  return {
    connection,
    scripts,
    sharedClock,
    handshakes,
    command: (command, key, ...args) => connection.send(command, [`keyholder:{test}:${key}`, ...args]),
    close: () => connection.close(),
  }
}

/** Returns the parts of the stores of a user, in an instance without a membership. */
export function userParts(
  { scripts, sharedClock }: Pick<ConnectedScripts, 'scripts' | 'sharedClock'>,
  clock: Clock,
  session: number,
): UserParts {
  const cluster = { membership: { session, isValid: true }, clusterName: 'test', generation: () => '' }
  return { scripts, sharedClock, clock, ...cluster, instance: `${session}`, user: 'user1' }
}

/**
 * Takes the real time since the last script out of the shared clock. `KEYS` are the clock and the wall clock at the last
 * script.
 */
const dropRealTime = `
local server = redis.call('TIME')
local now = server[1] * 1000 + math.floor(server[2] / 1000)
local was = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[2], string.format('%d', now))
local clock = redis.call('GET', KEYS[1])
if was and clock then
  local time, wall = string.match(clock, '(%d+) (%d+)')
  redis.call('SET', KEYS[1], string.format('%d %d', time, wall + now - was))
end`

/**
 * Returns a sender whose scripts see only the time that a test lets pass: on a busy machine seconds lie between two
 * scripts, and they would end a window or a lease too soon.
 */
function withoutRealTime(sender: Sender): Sender {
  return {
    send: (command, args) => {
      const keys = ['keyholder:{test}:clock', 'keyholder:{test}:real time']
      // In front of the script on the same connection. Where it fails, so does the script.
      if (command.startsWith('EVAL'))
        sender.send('EVAL', [dropRealTime, keys.length, ...keys]).catch(() => {})
      return sender.send(command, args)
    },
  }
}

const moveClock = script(`
local known, wall = string.match(redis.call('GET', KEYS[1]), '(%d+) (%d+)')
redis.call('SET', KEYS[1], string.format('%d %d', known + ARGV[2], wall + ARGV[3]))
return {time}
`)

/** Moves the server's wall clock, as the shared clock sees it, by some milliseconds. */
export async function stepServerClock(
  { scripts }: Pick<ConnectedScripts, 'scripts'>,
  ms: number,
): Promise<void> {
  await scripts.run(moveClock, [], [0, -ms])
}

/** Moves the shared clock on by some milliseconds, as if that time had passed. */
export async function advanceSharedClock(
  { scripts }: Pick<ConnectedScripts, 'scripts'>,
  ms: number,
): Promise<void> {
  await scripts.run(moveClock, [], [ms, 0])
}

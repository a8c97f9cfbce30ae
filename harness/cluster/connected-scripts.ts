import { type Clock, systemClock } from '../../src/clock.ts'
import { clusterSettings } from '../../src/cluster/cluster-settings.ts'
import { Connection } from '../../src/cluster/redis/connection.ts'
import { type HandshakeResult, performHandshake, type QuietTimes } from '../../src/cluster/redis/handshake.ts'
import { Scripts, script } from '../../src/cluster/redis/scripts.ts'
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
  }: { quiet?: QuietTimes; clock?: Clock; afterHandshake?: (scripts: Scripts) => Promise<void> } = {},
): Promise<ConnectedScripts> {
  const sharedClock = new SharedClock(clock)
  const handshakes: HandshakeResult[] = []
  const settings = clusterSettings({ address: server.address, clusterName: 'test' })
  const connection: Connection = new Connection(settings, {
    // A driven clock must not end a command that the server is about to answer.
    clock: systemClock,
    handshake: async (sender, info) => {
      handshakes.push(await performHandshake(scripts.through(sender), sharedClock, info, quiet))
      await afterHandshake(scripts.through(sender))
    },
    onChange: () => {},
  })
  const scripts = new Scripts({ sender: connection, sharedClock, clock, clusterName: 'test' })
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

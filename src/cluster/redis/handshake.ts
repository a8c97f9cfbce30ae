import { randomUUID } from 'node:crypto'
import { minute, second } from '../../duration.ts'
import { badField } from '../cluster-settings.ts'
import { handshake } from '../lua/handshake.lua.ts'
import { maxReconnect } from './connection.ts'
import { type Scripts, script } from './scripts.ts'
import type { ServerInfo } from './server-info.ts'
import type { SharedClock } from './shared-clock.ts'

/** The version of the keys and scripts. Instances with another one must not share a state. */
const format = 1

const comparison = script(handshake)

/** Milliseconds in which no attempt is made, because others may know attempts that the server does not. */
export interface QuietTimes {
  /** If the server knows nothing: as long as an attempt counts, and its margins. */
  blank: number
  /** If another server is in charge: until each instance is back and has put back what it did itself. */
  other: number
}

/** The quiet times of the product. */
export const quietTimes: QuietTimes = { blank: minute + 12 * second, other: maxReconnect + 1.6 * second }

/** The result of a handshake: the server as before, another one with its data, or one that knows nothing. */
export interface HandshakeResult {
  found: 'known' | 'other' | 'blank'
  /** Milliseconds for which no attempt is made. */
  quiet: number
  /** Another one whenever the data may have changed behind the back of the instances, whoever has noticed it first. */
  generation: string
}

/**
 * Performs the handshake with a server after a connect, before any other script.
 * @param met the generation that this instance has met last
 * @throws KeyholderError BAD_SETTING if instances with another format share the state
 */
export async function performHandshake(
  scripts: Scripts,
  sharedClock: SharedClock,
  { runId }: ServerInfo,
  times: QuietTimes = quietTimes,
  met?: string,
): Promise<HandshakeResult> {
  await scripts.load()
  const answer = await scripts.run(
    comparison,
    ['server'],
    [...[runId, format, times.blank, times.other], randomUUID()],
  )
  const [found, quiet, generation] = answer as [HandshakeResult['found'] | 'format', number, string]
  if (found === 'format') {
    throw badField(
      'clusterName',
      'another version of the alarm panel nodes uses it. Install the same version in all instances',
      { text: 'cluster.finding.otherFormat' },
    )
  }
  // A server that knew nothing has begun with a time of its own.
  if (found === 'blank' || (met !== undefined && generation !== met)) sharedClock.reset()
  return { found, quiet, generation }
}

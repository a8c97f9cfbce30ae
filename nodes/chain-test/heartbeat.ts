import type { Node } from 'node-red'
import { isLoopback } from '../../src/account/account-settings.ts'
import { HttpClient } from '../../src/account/http/http-client.ts'
import { type Clock, every } from '../../src/clock.ts'
import { badSetting } from '../../src/settings.ts'
import { guard } from '../shared/guard.ts'

/** Seconds in which a watcher must answer. */
const timeout = 10

/** The calls in a row that may fail before it is told: a network is away for a moment now and then. */
const maxFailures = 3

/** The calls to a watcher outside, who notices when they no longer come. */
interface HeartbeatOptions {
  /** The address; it may contain a secret, so it is never shown. */
  url: string
  /** Milliseconds between two calls. */
  interval: number
  /** Returns true while the node does its work; otherwise the watcher is not called. */
  isAlive(): boolean
  /** Called when several calls in a row have failed, and when one succeeds again. */
  onChange(isFailing: boolean): void
}

/** Starts the calls. Returns a function that ends them, and the one in progress. */
export function startHeartbeat(node: Node, clock: Clock, options: HeartbeatOptions): () => void {
  const { url, interval, isAlive, onChange } = options
  const client = new HttpClient({ timeout, caFile: '' }, clock)
  const life = new AbortController()
  let failures = 0
  const call = async () => {
    const isAnswered = await client.fetch({ method: 'GET', url, headers: {}, signal: life.signal }).then(
      // A redirect is not followed: it could lead the secret elsewhere.
      ({ status }) => status >= 200 && status < 300,
      () => false,
    )
    if (life.signal.aborted) return
    const wasFailing = failures >= maxFailures
    failures = isAnswered ? 0 : failures + 1
    const isFailing = failures >= maxFailures
    if (isFailing !== wasFailing) onChange(isFailing)
  }
  const stop = every(clock, interval, () => {
    if (isAlive()) guard(node, call)
  })
  return () => {
    stop()
    life.abort()
  }
}

/**
 * Returns the address of a watcher; empty for none.
 * @throws KeyholderError BAD_SETTING
 */
export function watcherAddress(text: string): string {
  if (text === '') return ''
  const { protocol, hostname } = URL.canParse(text) ? new URL(text) : { protocol: '', hostname: '' }
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return text
  throw badSetting(
    'watcherUrl',
    'enter an address that begins with https://. http:// works only for a watcher on the machine that runs Node-RED',
  )
}

import { randomUUID } from 'node:crypto'
import { type Backoff, longerBackoff } from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import type { Clock } from '../../../clock.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../../../service/error.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import { type Scripts, scriptsOf } from '../../redis/scripts.ts'
import type { Ask } from './shared-attempts.ts'

const scripts = scriptsOf(lua)

/** The backoff as the server tells it: milliseconds since its begin, until its end and until the end of what was requested. */
export type ToldBackoff = readonly [
  since: number,
  until: number,
  requested: number,
  code: string,
  status: string,
  by: string | undefined,
]

/** The backoff that all instances respect, as this one knows it. */
export class SharedBackoff {
  readonly #clock: Clock
  readonly #ask: Ask
  /** The latest backoff, which may be over; undefined after its end. */
  current: (Backoff & { by: string }) | undefined
  /** The ids of the backoffs that the server does not know yet. */
  readonly #unsaved = new Set<string>()

  constructor(clock: Clock, ask: Ask) {
    this.#clock = clock
    this.#ask = ask
  }

  /** Begins a backoff; a longer one stays. Resolves when it is noted here and, if possible, on the server; never rejects. */
  async start(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    const since = this.#now
    const until = since + pause
    const begun = { since, until, requestedUntil: isRequested ? until : 0, error, by: randomUUID() }
    this.current = longerBackoff(this.current, begun)
    await this.#save(begun)
  }

  /** Ends the backoff. Returns false if there was none. */
  end(): boolean {
    const by = this.current?.by
    if (by === undefined) return false
    this.current = undefined
    this.#unsaved.clear()
    void this.#ask(scripts.endBackoff, [by]).catch(() => {})
    return true
  }

  /** Puts it back on a server that may have forgotten it. Never rejects. */
  async restore(through: Scripts): Promise<void> {
    if (this.current !== undefined && this.current.until > this.#now) await this.#save(this.current, through)
  }

  /** Follows what the server has told. Returns true if the backoff has changed. */
  note([since, until, requested, code, status, by]: ToldBackoff): boolean {
    const now = this.#now
    const known = this.current
    if (by === undefined) {
      if (known === undefined || this.#unsaved.size > 0) return false
      this.current = undefined
    } else {
      if (this.#unsaved.size > 0 && known !== undefined && known.until >= now + until) return false
      const requestedUntil = now + requested
      if (known?.by === by) {
        this.current = { ...known, requestedUntil: Math.max(known.requestedUntil, requestedUntil) }
        return false
      }
      const error = backoffOfAnother(code, status)
      this.current = { since: now + since, until: now + until, requestedUntil, error, by }
    }
    return true
  }

  get #now(): number {
    return this.#clock.monotonic()
  }

  /** Never rejects: without an answer, it applies in this process, and is put back after the next handshake. */
  async #save(
    { by, until, requestedUntil, error }: Backoff & { by: string },
    through?: Scripts,
  ): Promise<void> {
    this.#unsaved.add(by)
    const isRequested = requestedUntil >= until ? 1 : 0
    const args = [Math.ceil(until - this.#now), isRequested, error.code, error.status ?? '', by]
    try {
      await this.#ask(scripts.startBackoff, args, through)
      this.#unsaved.delete(by)
    } catch {}
  }
}

/** Returns the error for a backoff that another instance began. Its own text may name a host, so it is not shared. */
function backoffOfAnother(code: string, status: string): KeyholderError {
  const known: ErrorCode = errorCodes.find((one) => one === code) ?? 'LOGIN_BLOCKED'
  return new KeyholderError(
    known,
    'Another Node-RED instance of the cluster has begun a pause: the service failed or asked for it, or that instance has just moved into the cluster.',
    { status: status === '' ? undefined : Number(status) },
  )
}

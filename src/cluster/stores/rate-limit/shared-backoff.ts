import { type Backoff, longerBackoff } from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import type { Clock } from '../../../clock.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../../../service/error.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import { type Scripts, scriptsOf } from '../../redis/scripts.ts'
import type { SharedBudget, ToldBackoff } from './shared-budget.ts'

const scripts = scriptsOf(lua)

/** The backoff that all instances respect, as this one knows it. */
export class SharedBackoff {
  readonly #clock: Clock
  readonly #budget: SharedBudget
  /** The latest backoff, which may be over; undefined after its end. */
  current: (Backoff & { by: string }) | undefined
  /** The ids of the backoffs that the server does not know yet. */
  readonly #unsaved = new Set<string>()

  constructor(clock: Clock, budget: SharedBudget) {
    this.#clock = clock
    this.#budget = budget
  }

  /** Begins a backoff; a longer one stays. Resolves when it is noted here and, if possible, on the server; never rejects. */
  async start(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    const by = this.#budget.nextId()
    const since = this.#now
    const until = since + pause
    const requestedUntil = isRequested ? until : 0
    this.current = longerBackoff(this.current, { since, until, requestedUntil, error, by })
    this.#unsaved.add(by)
    await this.#save(by, pause, error, isRequested)
  }

  /** Ends the backoff. Returns false if there was none. */
  end(): boolean {
    const by = this.current?.by
    if (by === undefined) return false
    this.current = undefined
    this.#unsaved.clear()
    void this.#budget.ask(scripts.endBackoff, [by]).catch(() => {})
    return true
  }

  /** Puts it back on a server that may have forgotten it. Never rejects. */
  async restore(through: Scripts): Promise<void> {
    const left = (this.current?.until ?? 0) - this.#now
    if (this.current === undefined || left <= 0) return
    const { by, until, requestedUntil, error } = this.current
    this.#unsaved.add(by)
    await this.#save(by, left, error, requestedUntil >= until, through)
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

  async #save(
    by: string,
    pause: number,
    { code, status }: KeyholderError,
    isRequested: boolean,
    through?: Scripts,
  ): Promise<void> {
    const args = [Math.ceil(pause), isRequested ? 1 : 0, code, status ?? '', by]
    try {
      await this.#budget.ask(scripts.startBackoff, args, through)
      this.#unsaved.delete(by)
    } catch {
      // It applies in this process, and is put back after the next handshake.
    }
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

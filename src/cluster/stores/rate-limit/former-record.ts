import type { AttemptLog } from '../../../account/service-user/rate-limit/attempt-log.ts'
import {
  backoffBeforeRestart,
  type UserRecord,
} from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import type { Clock } from '../../../clock.ts'
import { away } from '../../redis/redis-error.ts'

/** The dependencies of the record of the time before a cluster. */
export interface FormerRecordOptions {
  clock: Clock
  /** Returns the generation of the server's data; undefined before the first handshake. */
  generation?(): string | undefined
  /** The log of the time before the cluster, and for the time after it. */
  attemptLog?: AttemptLog | undefined
}

/** The record of this process, or of the one before it, from before it was in the cluster: counted there once. */
export class FormerRecord {
  readonly #options: FormerRecordOptions
  #before: Promise<UserRecord> | undefined
  #notedGeneration: string | undefined
  /** True when the record is counted in the cluster. */
  isCounted = false

  constructor(options: FormerRecordOptions) {
    this.#options = options
  }

  /** The record of the store before, if this process has one and it is not counted yet. */
  get uncounted(): Promise<UserRecord> | undefined {
    return this.isCounted ? undefined : this.#before
  }

  /** Selects the record of the store before; the first one applies. */
  follow(before: Promise<UserRecord> | undefined): void {
    this.#before ??= before
  }

  /**
   * Returns what is to be counted.
   * @throws KeyholderError without a connection
   */
  async recall(): Promise<UserRecord> {
    const current = this.#generation
    const record = await (this.#before ?? this.#logged(current))
    // The same server, by a connection with other settings, knows all of it.
    return record.countedIn === current ? nothing : record
  }

  /** Notes where the attempts are counted, for a process after this one that may be alone. */
  async noteJoined(): Promise<void> {
    if (!this.isCounted) return
    const current = this.#generation
    if (current === this.#notedGeneration) return
    this.#notedGeneration = current
    await this.#options.attemptLog?.noteJoined(current)
  }

  /**
   * The generation of the server's data.
   * @throws KeyholderError without a connection
   */
  get #generation(): string {
    const { generation = () => '' } = this.#options
    const current = generation()
    if (current === undefined) throw away('not connected yet')
    return current
  }

  /**
   * Returns what the log has of the time before the cluster, or of a process that counted with other data than the
   * server has now; the server itself knows the rest.
   */
  async #logged(current: string): Promise<UserRecord> {
    const { attemptLog, clock } = this.#options
    if (attemptLog === undefined || (await attemptLog.joined()) === current) return nothing
    const left = await attemptLog.recallBackoff()
    const since = clock.monotonic()
    const until = since + left
    const backoff =
      left > 0 ? { since, until, requestedUntil: until, error: backoffBeforeRestart } : undefined
    return { ages: await attemptLog.recall(), backoff }
  }
}

const nothing: UserRecord = { ages: [], backoff: undefined }

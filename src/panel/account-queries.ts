import type { Account } from '../account/account.ts'
import type { ReadOptions } from '../account/requests/request.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import type { Operation } from '../service/operations.ts'
import type { JsonValue } from '../service/passthrough.ts'
import { bundled } from './catalogue/event-catalogue.ts'
import { type Snapshot, type Source, snapshot } from './snapshot.ts'

/** The requests that a flow can make with an operation's own name: of a panel, or of an account without a panel. */
export interface Queries {
  readonly account: Account
  /** True if the service reaches the panel; also true until the opposite is known, and without a panel. */
  readonly online: boolean
  /**
   * Returns the answer to a flow's request, with the service's own names and values.
   * @throws KeyholderError
   */
  fetchOperation<T>(operation: Operation<T>, options: ReadOptions, locale?: string): Promise<Snapshot<T>>
  /**
   * Returns the service's answer to the account's sign-in, without its tokens.
   * @throws KeyholderError
   */
  fetchSession(): Promise<Snapshot<JsonValue>>
  /** Returns the event types of the log; never rejects. */
  eventTypes(options: ReadOptions): Promise<Catalogue>
  /** Returns the source of the messages that are made of a snapshot now. */
  sourceOf(snapshot: Snapshot<unknown>): AccountSource
}

/** The source of a message that need not be about a panel: `panel` is then null. */
export interface AccountSource extends Omit<Source, 'panel'> {
  panel: Source['panel'] | null
}

/** Requests of an account alone: what the interface specification lists with the user token alone (5.4). */
export class AccountQueries implements Queries {
  readonly account: Account
  readonly online = true
  readonly #name: string

  /** @param name the user's name for the account; can be empty */
  constructor(account: Account, name: string) {
    this.account = account
    this.#name = name
  }

  async fetchOperation<T>(operation: Operation<T>, options: ReadOptions, locale = ''): Promise<Snapshot<T>> {
    const answer = await this.account.sendRead(operation, { ...options, locale })
    return snapshot(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  async fetchSession(): Promise<Snapshot<JsonValue>> {
    const answer = await this.account.session()
    return snapshot(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  /** Returns the bundled types: an account alone has no log, and so no types of its own. */
  async eventTypes(): Promise<Catalogue> {
    return bundled
  }

  sourceOf({ fetchedAt }: Snapshot<unknown>): AccountSource {
    const name = this.#name || new URL(this.account.settings.url).host
    return { name, panel: null, fetchedAt: new Date(fetchedAt).toISOString(), stale: false }
  }
}

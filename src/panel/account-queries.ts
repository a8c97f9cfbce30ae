import type { Account } from '../account/account.ts'
import type { ReadOptions } from '../account/requests/request.ts'
import { hour } from '../duration.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import { bundled } from '../service/catalogue/en-us.ts'
import { hasCode, KeyholderError, unsupportedCodes } from '../service/error.ts'
import { type Operation, operations } from '../service/operations.ts'
import type { JsonValue } from '../service/schema.ts'
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
   * Returns the service's whole answer to the account's sign-in, without its tokens.
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
    if (operation.tokens === 'user, or both') await this.#refuseUnlessOnePanel(operation, options)
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

  /**
   * Throws if the account has several panels: the answer does not name the one that it is about.
   * @throws KeyholderError NOT_CONFIGURED, or the errors of the request for the list
   */
  async #refuseUnlessOnePanel({ name }: Operation<unknown>, options: ReadOptions): Promise<void> {
    try {
      const { value } = await this.account.sendRead(operations.panels, { ...options, maxAge: hour })
      this.account.knowledge.notePanels(value)
      if (value.length <= 1) return
      const sentence = `Panel: the account has ${value.length} panels, and the service does not say which one its answer to "${name}" is about. Choose one in the node.`
      throw new KeyholderError('NOT_CONFIGURED', sentence)
    } catch (thrown) {
      // A service without such a list tells nothing of panels.
      if (!hasCode(thrown, ...unsupportedCodes)) throw thrown
    }
  }

  sourceOf({ fetchedAt }: Snapshot<unknown>): AccountSource {
    const name = this.#name || new URL(this.account.settings.url).host
    return { name, panel: null, fetchedAt: new Date(fetchedAt).toISOString(), stale: false }
  }
}

import type { Account } from '../account/account.ts'
import type { Asking } from '../account/flights.ts'
import type { Catalogue, EventType } from '../service/catalogue.ts'
import { catalogueEnUs } from '../service/catalogue-en-us.ts'
import { operations } from '../service/operations.ts'

const day = 24 * 60 * 60_000
const hour = 60 * 60_000

/**
 * The event catalogue in the account's language: from the service when it answers, else the bundled one.
 *
 * The service's rows stand over the bundled en_US rows, since a service may show only some of its groups.
 */
export class EventCatalogue {
  readonly #account: Account
  #rows: readonly EventType[] | undefined
  #merged: Catalogue = new Map(catalogueEnUs.map((type) => [type.typeId, type]))
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(account: Account) {
    this.#account = account
  }

  /** The catalogue as it is known now; never rejects, an event must not wait for its texts. */
  async read({ lane, signal }: Asking): Promise<Catalogue> {
    const { clock, settings } = this.#account
    if (clock.monotonic() - this.#failedAt < hour) return this.#merged
    try {
      const question = { lane, signal, maxAge: day, locale: settings.locale }
      const { value } = await this.#account.ask(operations.eventProfiles, question)
      if (value !== this.#rows) {
        this.#rows = value
        this.#merged = new Map([...catalogueEnUs, ...value].map((type) => [type.typeId, type]))
      }
    } catch {
      if (!signal.aborted) this.#failedAt = clock.monotonic()
    }
    return this.#merged
  }
}

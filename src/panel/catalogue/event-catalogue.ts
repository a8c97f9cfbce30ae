import type { Account } from '../account/account.ts'
import type { Asking } from '../account/flights.ts'
import type { Catalogue, EventType } from '../service/catalogue.ts'
import { operations } from '../service/operations.ts'
import { bundled, overBundled } from './bundled-catalogue.ts'
import type { CatalogueFile } from './catalogue-file.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long an event waits for its texts, in milliseconds; then it goes with the ones that are known. */
const patience = 2000

/**
 * The event catalogue in the account's language: from the service when it answers, else what it said in an earlier
 * process, else the bundled one. Asked anew each day.
 *
 * The service's rows stand over the bundled en_US rows, since a service may show only some of its groups.
 */
export class EventCatalogue {
  readonly #account: Account
  readonly #file: CatalogueFile
  #rows: readonly EventType[] | undefined
  #merged = bundled
  #notBefore = Number.NEGATIVE_INFINITY
  #recalled: Promise<void> | undefined

  /** @param file where the service's answer is kept */
  constructor(account: Account, file: CatalogueFile) {
    this.#account = account
    this.#file = file
  }

  /** The catalogue as it is known now; never rejects, and an event does not wait for its texts for long. */
  async read(asking: Asking): Promise<Catalogue> {
    const { clock } = this.#account
    this.#recalled ??= this.#file.load().then((kept) => this.#take(kept ?? []))
    await this.#recalled
    if (clock.monotonic() < this.#notBefore) return this.#merged
    await new Promise<void>((resolve) => {
      const cancel = clock.after(patience, resolve)
      void this.#refresh(asking).then(() => {
        cancel()
        resolve()
      })
    })
    return this.#merged
  }

  /** Asks the service, or its answer of today; never rejects. */
  async #refresh({ lane, signal }: Asking): Promise<void> {
    const { clock, settings } = this.#account
    try {
      const question = { lane, signal, maxAge: day, locale: settings.locale }
      const { value } = await this.#account.ask(operations.eventProfiles, question)
      if (value === this.#rows) return
      this.#rows = value
      this.#take(value)
      await this.#file.save(value)
    } catch {
      if (!signal.aborted) this.#notBefore = clock.monotonic() + 10 * minute
    }
  }

  #take(rows: readonly EventType[]): void {
    this.#merged = overBundled(rows)
  }
}

import type { Account, PanelKey } from '../account/account.ts'
import type { Answer, Asking } from '../account/flights.ts'
import { type ErrorCode, KeyholderError } from '../service/error.ts'
import { type Operation, operations } from '../service/operations.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long a question is not asked again after it failed with a code, in milliseconds. */
type Pauses = ReadonlyMap<ErrorCode, number>

/** The service, or the rights of this user, lack the operation. */
const lacking: Pauses = new Map([
  ['NOT_FOUND', hour],
  ['NOT_ALLOWED', hour],
])

/** The operation is lacking, or fails while the service as a whole answers. */
const failingAlone: Pauses = new Map([
  ...lacking,
  ['BAD_RESPONSE', minute],
  ['SERVER_ERROR', minute],
  ['RESPONSE_TOO_LARGE', minute],
])

/** Asks the service about one panel, and remembers which questions are not worth asking again for a while. */
export class Inquiry {
  readonly #account: Account
  readonly #panel: PanelKey
  readonly #notBefore = new Map<string, number>()
  #alias = ''

  constructor(account: Account, panel: PanelKey) {
    this.#account = account
    this.#panel = panel
  }

  /** What the service calls the panel; empty until it was identified. */
  get alias(): string {
    return this.#alias
  }

  /** The answer to a question about the panel. */
  ask<T>(operation: Operation<T>, asking: Asking): Promise<Answer<T>> {
    return this.#account.ask(operation, { ...asking, panel: this.#panel })
  }

  /** The same, or nothing where the service or the user's rights lack the operation; then not asked for an hour. */
  askIfThere<T>(operation: Operation<T>, asking: Asking): Promise<Answer<T> | undefined> {
    return this.#askUnless(lacking, operation, asking)
  }

  /** The same for what only describes the panel: where it alone fails, the state must be readable without it. */
  async askForDescription<T>(operation: Operation<T>, asking: Asking): Promise<T | undefined> {
    return (await this.#askUnless(failingAlone, operation, asking))?.value
  }

  /**
   * Finds the panel in the account's list: its alias, and an early word where the serial is wrong, before a wrong
   * serial is sent to the sign-in. A service without such a list is taken at the user's word.
   * @throws KeyholderError BAD_SETTING when the list does not have the serial
   */
  async identify(asking: Asking): Promise<void> {
    const { serial } = this.#panel
    const list = (maxAge: number) => this.askForDescription(operations.panels, { ...asking, maxAge })
    const isOurs = ({ panel_serial }: { panel_serial: string }) => panel_serial === serial
    let panels = await list(day)
    // A panel may have been added to the account since.
    if (panels && panels.length > 0 && !panels.some(isOurs)) panels = await list(10 * minute)
    if (panels === undefined || panels.length === 0) return
    const own = panels.find(isOurs)
    if (own === undefined) {
      const known = panels.map(({ panel_serial, alias }) =>
        alias ? `${panel_serial} (${alias})` : panel_serial,
      )
      throw new KeyholderError(
        'BAD_SETTING',
        `serial: the account has no panel "${serial}". It has: ${known.slice(0, 10).join(', ')}.`,
      )
    }
    this.#alias = own.alias
  }

  async #askUnless<T>(
    pauses: Pauses,
    operation: Operation<T>,
    asking: Asking,
  ): Promise<Answer<T> | undefined> {
    const { clock } = this.#account
    if (clock.monotonic() < (this.#notBefore.get(operation.name) ?? 0)) return undefined
    try {
      return await this.ask(operation, asking)
    } catch (thrown) {
      const pause = thrown instanceof KeyholderError ? pauses.get(thrown.code) : undefined
      if (pause === undefined) throw thrown
      this.#notBefore.set(operation.name, clock.monotonic() + pause)
      return undefined
    }
  }
}

import type { Account, PanelKey } from '../account/account.ts'
import type { Answer, Asking } from '../account/flights.ts'
import { type ErrorCode, KeyholderError } from '../service/error.ts'
import { type Operation, operations } from '../service/operations.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The service, or the rights of this user, lack the operation. */
const lacking: readonly ErrorCode[] = ['NOT_FOUND', 'NOT_ALLOWED']

/** The operation fails while the service as a whole answers. */
const failingAlone: readonly ErrorCode[] = ['BAD_RESPONSE', 'SERVER_ERROR', 'RESPONSE_TOO_LARGE']

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
    return this.#unless(lacking, hour, operation, asking)
  }

  /** The same for what only describes the panel: where it alone fails, the state must be readable without it. */
  async askForDescription<T>(operation: Operation<T>, asking: Asking): Promise<T | undefined> {
    const failing = [...lacking, ...failingAlone]
    return (await this.#unless(failing, minute, operation, asking))?.value
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

  async #unless<T>(
    codes: readonly ErrorCode[],
    pause: number,
    operation: Operation<T>,
    asking: Asking,
  ): Promise<Answer<T> | undefined> {
    const { clock } = this.#account
    if (clock.monotonic() < (this.#notBefore.get(operation.name) ?? 0)) return undefined
    try {
      return await this.ask(operation, asking)
    } catch (thrown) {
      if (!(thrown instanceof KeyholderError) || !codes.includes(thrown.code)) throw thrown
      this.#notBefore.set(operation.name, clock.monotonic() + pause)
      return undefined
    }
  }
}

import type { Account } from '../account/account.ts'
import type { Answer, Asking } from '../account/flights.ts'
import type { PanelKey } from '../account/sign-in.ts'
import { type ErrorCode, KeyholderError } from '../service/error.ts'
import { hasCode, lacking } from '../service/error-code.ts'
import { type Operation, operations } from '../service/operations.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The operation fails while the service as a whole answers. */
const failingAlone: readonly ErrorCode[] = ['BAD_RESPONSE', 'SERVER_ERROR', 'RESPONSE_TOO_LARGE']

/** What only describes the panel. */
const describing: ReadonlySet<string> = new Set([operations.panels.name, operations.panelInfo.name])

/** A question that was refused, and until when polls do not ask it again. */
interface Refused {
  error: KeyholderError
  until: number
  times: number
}

/**
 * Asks the service about one panel, and remembers which questions polls need not ask again for a while.
 *
 * One refusal proves little: gateways answer 404 while they restart. So the pause grows from a minute to an hour, an
 * operation that has answered before is failing and not lacking, and whoever asks by hand is always heard.
 */
export class Inquiry {
  readonly #account: Account
  readonly #panel: PanelKey
  readonly #refused = new Map<string, Refused>()
  readonly #answered = new Set<string>()
  #alias = ''

  constructor(account: Account, panel: PanelKey) {
    this.#account = account
    this.#panel = panel
  }

  /** What the service calls the panel; empty until it was identified. */
  get alias(): string {
    return this.#alias
  }

  /**
   * The answer to a question about the panel.
   * @throws KeyholderError also the one of an earlier refusal, while a poll need not ask again
   */
  async ask<T>(operation: Operation<T>, asking: Asking): Promise<Answer<T>> {
    const { name } = operation
    const before = this.#refused.get(name)
    if (before !== undefined && asking.lane === 'poll' && this.#account.clock.monotonic() < before.until) {
      throw before.error
    }
    try {
      const answer = await this.#account.ask(operation, { ...asking, panel: this.#panel })
      this.#answered.add(name)
      this.#refused.delete(name)
      return answer
    } catch (thrown) {
      if (thrown instanceof KeyholderError) this.#note(name, thrown)
      throw thrown
    }
  }

  /** The same, or nothing where the service or the user's rights lack the operation and always have. */
  async askIfThere<T>(operation: Operation<T>, asking: Asking): Promise<Answer<T> | undefined> {
    try {
      return await this.ask(operation, asking)
    } catch (thrown) {
      if (hasCode(thrown, ...lacking) && !this.#answered.has(operation.name)) return undefined
      throw thrown
    }
  }

  /** The same for what only describes the panel: where it alone fails, the state must be readable without it. */
  async askForDescription<T>(operation: Operation<T>, asking: Asking): Promise<T | undefined> {
    try {
      return (await this.ask(operation, asking)).value
    } catch (thrown) {
      if (hasCode(thrown, ...lacking, ...failingAlone)) return undefined
      throw thrown
    }
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

  /** Lets polls pause after a refusal that the next one would only repeat. */
  #note(name: string, error: KeyholderError): void {
    const isLacking =
      error.code === 'NOT_ALLOWED' || (error.code === 'NOT_FOUND' && !this.#answered.has(name))
    const isDescription = failingAlone.includes(error.code) && describing.has(name)
    // A session that dies as soon as it is opened would otherwise be opened at every poll.
    const isFutile = error.code === 'SESSION_EXPIRED'
    if (!isLacking && !isDescription && !isFutile) return
    const times = (this.#refused.get(name)?.times ?? 0) + 1
    const pause = Math.min(hour, minute * 2 ** (times - 1))
    this.#refused.set(name, { error, until: this.#account.clock.monotonic() + pause, times })
  }
}

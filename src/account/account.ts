import type { Clock } from '../clock.ts'
import { KeyholderError } from '../service/error.ts'
import type { Operation } from '../service/operations.ts'
import type { ProcessToken } from '../service/process-token.ts'
import { type SessionDetails, withoutToken } from '../service/user-session.ts'
import { type Access, isSecret, type SharedAccess, type Surroundings } from './access.ts'
import type { AccountHealth } from './account-health.ts'
import { Address } from './address.ts'
import type { BudgetFigures } from './budget.ts'
import { Calls, InDoubt, type Order, type Question } from './calls.ts'
import type { ExchangeParts } from './exchange.ts'
import type { Answer } from './flights.ts'
import { LicenceWatch } from './licence-watch.ts'
import type { Purpose } from './purpose.ts'
import type { AccountSettings } from './settings.ts'
import { type PanelKey, SignIn } from './sign-in.ts'
import { Transport } from './transport.ts'

/** What became of a command that was sent: the service took it and can be asked for its progress, or nobody knows. */
export type Sent = { token: string } | { doubt: KeyholderError }

/** Where an account stands. */
export type Phase = 'signed-out' | 'signing-in' | 'ready' | 'held' | 'rejected'

/** One account at the service: asks questions, and sees to version, sign-in, tokens and holds by itself. */
export class Account {
  readonly settings: AccountSettings
  readonly clock: Clock
  readonly #access: Access
  readonly #address: Address
  readonly #signIn: SignIn
  readonly #licence: LicenceWatch
  readonly #calls: Calls

  /** @param onNotice takes a sentence that is worth a line in the log */
  constructor(
    settings: AccountSettings,
    shared: SharedAccess,
    surroundings: Surroundings,
    onNotice: (sentence: string) => void,
    purpose: Purpose = 'deployed',
  ) {
    const { clock, folder, random } = surroundings
    this.settings = settings
    this.clock = clock
    this.#access = shared.take(settings, this, folder, purpose)
    const parts: ExchangeParts = { access: this.#access, transport: new Transport(settings), clock, random }
    this.#address = new Address(settings, parts, onNotice)
    this.#signIn = new SignIn(settings, parts, this.#address, purpose)
    this.#licence = new LicenceWatch(onNotice)
    this.#calls = new Calls(parts, this.#address, this.#signIn, this.#licence)
    const { owners } = this.#access.conduct
    if (owners > 1 && purpose === 'deployed')
      onNotice(sharing(this.#access.owners.size > 1, this.budget.limit))
  }

  /** Where the account stands now. */
  get phase(): Phase {
    const { user, conduct } = this.#access
    if (user.rejection !== undefined) return 'rejected'
    if (conduct.heldFor > 0) return 'held'
    if (user.isSigningIn) return 'signing-in'
    return user.hasToken ? 'ready' : 'signed-out'
  }

  /** When a hold ends, in milliseconds since 1970; nothing while there is none. */
  get heldUntil(): number | undefined {
    const left = this.#access.conduct.heldFor
    return left > 0 ? this.clock.wall() + left : undefined
  }

  /** How the account is, from what is known already: the service is not asked. */
  get health(): AccountHealth {
    const { signIns, unanswered, isFailing, latestFailure } = this.#access.record
    const { phase, heldUntil, budget } = this
    const apiVersion = this.#address.version
    return { phase, heldUntil, apiVersion, signIns, unanswered, isFailing, latestFailure, budget }
  }

  /** Whether serial or user code of the panel were rejected and are not tried again. */
  hasRejected(panel: PanelKey): boolean {
    return this.#signIn.hasRejected(panel)
  }

  /** Whether a word is one that nobody may be told, even when the service says it. */
  isSecret(word: string): boolean {
    return isSecret(this.#access, word)
  }

  /** Why the licence does not cover an operation that was asked, in plain words; nothing where it does. */
  licenceNotice(operation: string): string | undefined {
    return this.#licence.noticeOf(operation)
  }

  /** The budget as it stands now. */
  get budget(): BudgetFigures {
    return this.#access.conduct.budget.figures
  }

  /**
   * Asks the service; many who ask the same share one call, and an expired session is renewed once.
   * @throws KeyholderError
   */
  ask<T>(operation: Operation<T>, question: Question): Promise<Answer<T>> {
    const { panel, locale = '', token = '' } = question
    const { url, apiVersion } = this.settings
    const { name, form, tokens } = operation
    // What takes no session token is the same for all panels of the account.
    const { serial, userCode } = (tokens === 'user and session' && panel) || {}
    const key = JSON.stringify([url, apiVersion, name, form, serial, userCode, locale, token])
    return this.#access.flights.ask(key, question, operation.kept, (signal) =>
      this.#recorded(this.#calls.ask(operation, { ...question, signal })),
    )
  }

  /**
   * Sends a command, in the urgent lane. It is shared with nobody, and never sent again once the service may have taken
   * it.
   * @throws KeyholderError where it was certainly not taken
   */
  async command(operation: Operation<ProcessToken>, order: Order): Promise<Sent> {
    try {
      const { value } = await this.#calls.command(operation, order)
      return { token: value.process_token }
    } catch (thrown) {
      if (thrown instanceof InDoubt) return { doubt: thrown.error }
      throw thrown
    }
  }

  /**
   * What the sign-in said, without its token; signs in where nobody has yet.
   * @throws KeyholderError
   */
  async session(): Promise<Answer<SessionDetails>> {
    await this.#access.conduct.recalled
    await this.#recorded(this.#signIn.userToken())
    const { signedIn } = this.#access
    if (signedIn === undefined)
      throw new KeyholderError('SESSION_EXPIRED', 'There is no session at the moment.')
    return { ...signedIn, value: withoutToken(signedIn.value) }
  }

  /**
   * Lets nothing pass while the service wants a pause, also one from before a restart.
   * @throws KeyholderError with the seconds left
   */
  async refuseWhileHeld(): Promise<void> {
    await this.#access.conduct.recalled
    this.#access.conduct.refuseWhileHeld()
  }

  /**
   * The version that the service offers at this moment; for an account whose settings leave the choice to the service.
   * @throws KeyholderError
   */
  negotiate(): Promise<string> {
    return this.#recorded(this.#address.renewedVersion())
  }

  /**
   * Opens a panel with its user code, unless it is open; a code that was rejected is not sent again.
   * @throws KeyholderError
   */
  async openPanel(panel: PanelKey): Promise<void> {
    await this.#access.conduct.recalled
    await this.#recorded(this.#signIn.sessionToken(panel))
  }

  /** The answer to a question, and a note of how it went. */
  async #recorded<T>(question: Promise<T>): Promise<T> {
    const { record } = this.#access
    try {
      const answer = await question
      record.answered()
      return answer
    } catch (thrown) {
      record.failed(thrown)
      throw thrown
    }
  }
}

/** What is said to whoever joins: the lowest of the caps holds for all, which would otherwise be a riddle. */
function sharing(isSession: boolean, limit: number): string {
  const what = isSession ? 'one session and one budget' : 'one budget'
  return `Another account node signs in with this e-mail at this host: they share ${what}, of ${limit} requests a minute.`
}

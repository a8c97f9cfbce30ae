import { ageWithSleep, type Clock } from '../clock.ts'
import { type ErrorCode, KeyholderError } from '../service/error.ts'
import type { Operation } from '../service/operations.ts'
import type { ProcessToken } from '../service/responses/process-status.ts'
import type { JsonValue } from '../service/schema.ts'
import type { AccountHealth, Phase } from './account-health.ts'
import type { AccountRegistry, Dependencies, SignInState } from './account-registry.ts'
import type { AccountMode, AccountSettings } from './account-settings.ts'
import type { Answer, AnswerStore } from './answer.ts'
import { AuthenticatedRequests, InDoubt } from './authenticated-request.ts'
import { HttpClient } from './http/http-client.ts'
import { LicenseCheck, licenseHealth } from './license.ts'
import type { ExchangeDependencies } from './requests/exchange.ts'
import type { CommandRequest, PanelKey, ReadRequest, ReadSubject } from './requests/request.ts'
import { type RequestHistory, type RequestLog, safeLog } from './requests/request-history.ts'
import type { RateLimiter } from './service-user/rate-limit/rate-limiter.ts'
import { attemptLogOf, localUserStores } from './service-user/user-stores.ts'
import { BaseUrl, type SharedVersion } from './service-version.ts'
import type { AccountKnowledge } from './session/session.ts'
import { SignIn } from './session/sign-in.ts'

/**
 * The outcome of a sent command: a token for requesting its progress, or the error if its outcome is unknown.
 */
export type Sent = { token: string } | { doubt: KeyholderError }

/**
 * One account at the service. It sends read requests and commands, and handles version, sign-in, tokens and
 * backoff.
 */
export class Account {
  readonly settings: AccountSettings
  readonly clock: Clock
  readonly log: RequestLog
  /** The state that all accounts of the process share. */
  readonly registry: AccountRegistry
  /** The panels of the account, and the lengths of their user codes. */
  readonly knowledge: AccountKnowledge
  /** The check of the license for the operations that are requested. */
  readonly license: LicenseCheck
  /** The budgets of requests, which all accounts of the user at the service share. */
  readonly rateLimiter: RateLimiter
  /** The latest HTTP attempts of this sign-in, and the recordings of what the service answers. */
  readonly history: RequestHistory
  readonly #shared: SignInState
  readonly #baseUrl: BaseUrl
  readonly #signIn: SignIn
  readonly #authenticatedRequests: AuthenticatedRequests
  readonly #onNotice: (sentence: string) => void
  #isLanguageReported = false

  /** @param onNotice receives sentences for the log; one with a code is also for Catch nodes */
  constructor(
    settings: AccountSettings,
    registry: AccountRegistry,
    dependencies: Dependencies,
    onNotice: (sentence: string, code?: ErrorCode) => void,
    mode: AccountMode = 'deployed',
  ) {
    const { clock, folder, random, cluster, log = {} } = dependencies
    const openShared = (user: string) => cluster?.userStores(user, attemptLogOf(user, folder, clock))
    const openLocal = localUserStores(folder, clock)
    const openStores = (user: string) => openShared(user) ?? openLocal(user)
    this.settings = settings
    this.#onNotice = onNotice
    this.clock = clock
    this.log = safeLog(log)
    this.registry = registry
    this.#shared = registry.acquire(settings, this, openStores, mode, cluster)
    const httpClient = new HttpClient(settings, clock)
    const parts: ExchangeDependencies = { ...this.#shared, httpClient, clock, log: this.log, random }
    const { serviceUser, session, version } = this.#shared
    this.knowledge = session.knowledge
    this.rateLimiter = serviceUser.rateLimiter
    this.history = this.#shared.history
    serviceUser.tell(this, onNotice, session.knowledge)
    this.#baseUrl = new BaseUrl(settings, version, parts, this.#sharedVersion(mode), onNotice)
    this.#signIn = new SignIn(settings, session, parts, this.#baseUrl, mode)
    this.license = new LicenseCheck(onNotice)
    this.#authenticatedRequests = new AuthenticatedRequests(
      session,
      parts,
      this.#baseUrl,
      this.#signIn,
      this.license,
    )
    if (serviceUser.configNodes > 1 && mode === 'deployed')
      onNotice(sharingNotice(session.ownerCount > 1, this.rateLimiter.figures.limit))
  }

  /** The current phase of the account. */
  get phase(): Phase {
    const { userToken } = this.#shared.session
    if (userToken.rejection !== undefined) return 'rejected'
    if (this.pauseLeft > 0) return 'held'
    if (userToken.isSigningIn) return 'signing-in'
    return userToken.current ? 'ready' : 'signed-out'
  }

  /** The end of the backoff or of the pause of the sign-in, in milliseconds since 1970; undefined without one. */
  get heldUntil(): number | undefined {
    return this.pauseLeft > 0 ? this.clock.wall() + this.pauseLeft : undefined
  }

  /** Milliseconds until the backoff, or the pause of the sign-in, ends; 0 without one. */
  get pauseLeft(): number {
    const { session, serviceUser } = this.#shared
    return Math.max(serviceUser.backoffLeft, session.userToken.pauseLeft)
  }

  /** The known health of the account. Reading it sends no request. */
  get health(): AccountHealth {
    const { session, stats } = this.#shared
    const { signIns, unanswered, isFailing, latestFailure } = stats
    const { phase, heldUntil, clock } = this
    const { signedIn, knowledge } = session
    const license = signedIn?.value.license ?? undefined
    return {
      ...{ phase, heldUntil, apiVersion: this.#baseUrl.version },
      ...{ signIns, unanswered, isFailing, latestFailure },
      budget: this.rateLimiter.figures,
      license: license && licenseHealth(license, knowledge.panelTypes, clock.wall()),
    }
  }

  /** Returns true if the serial or the user code of the panel was rejected; it is not tried again. */
  hasRejected(panel: PanelKey): boolean {
    return this.#shared.session.hasRejected(panel)
  }

  /** Reports once, whatever number of panels finds it, that the service refused the account's language. */
  noteLanguageRefusal({ message }: KeyholderError): void {
    if (this.#isLanguageReported) return
    this.#isLanguageReported = true
    this.#onNotice(`${message} Until then, events have the texts of an earlier answer, or English texts.`)
  }

  /** Returns true if a word is a secret. It must not be shown, even when the service repeats it. */
  isSecret(word: string): boolean {
    return this.#shared.session.isSecret(word)
  }

  /** The number of requests of this sign-in that were answered, with any result. */
  get replies(): number {
    return this.#shared.stats.replies
  }

  /**
   * Sends a read request. Equal requests share one call, and an expired session is renewed once.
   * @throws KeyholderError
   */
  sendRead<T>(operation: Operation<T>, request: ReadRequest): Promise<Answer<T>> {
    const { coalescer, serviceUser } = this.#shared
    const { trace } = this.log
    const question = this.#keyOf(operation, request)
    const send = () =>
      coalescer.coalesce(
        question,
        request,
        operation.isCacheable,
        (signal) => this.#authenticatedRequests.read(operation, request, signal),
        trace && ((reason) => trace(`"${operation.name}": not sent, ${reason}`)),
      )
    const { answers } = serviceUser
    if (request.share === undefined || answers === undefined) return send()
    return this.#share(answers, question, operation, request, request.share, send)
  }

  /** Does the same together with other processes: takes an answer that one of them has had, or publishes it. */
  async #share<T>(
    answers: AnswerStore,
    question: string,
    { isCacheable }: Operation<T>,
    { maxAge }: ReadRequest,
    share: NonNullable<ReadRequest['share']>,
    send: () => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    const { coalescer, session } = this.#shared
    const key = await session.userToken.key()
    if (share.as !== 'publish') {
      const recent = coalescer.recent<T>(question, maxAge)
      if (recent !== undefined) return recent
      const isFollowing = share.as === 'follow'
      const found = await (isFollowing
        ? answers.find(share.answersOf, question, key)
        : answers.recall(question, key))
      // A process with other secrets or another address may have taken over: nobody publishes this answer any more.
      if (found !== undefined) {
        const age = ageWithSleep({ wall: found.fetchedAt, monotonic: found.at }, this.clock)
        if (age <= Math.max(maxAge, isFollowing ? (share.maxAge ?? 0) : 0)) {
          if (isCacheable) coalescer.keep(question, found)
          return found as Answer<T>
        }
      }
    }
    const answer = await send()
    if (share.as === 'publish') await answers.publish(share.answersOf, question, answer, key)
    if (share.as === 'description') void answers.keep(question, answer, key)
    return answer
  }

  /** Returns the version that the processes with the secrets of this account share, if there are any; a trial asks for itself. */
  #sharedVersion(mode: AccountMode): SharedVersion | undefined {
    const { serviceUser, session } = this.#shared
    const { url, api } = this.settings
    const question = JSON.stringify(['version', url, api])
    const { answers } = serviceUser
    if (mode === 'trial' || answers === undefined) return undefined
    const key = () => session.userToken.key().catch(() => undefined)
    return {
      recall: async () => {
        const secret = await key()
        return secret && ((await answers.recall(question, secret)) as Answer<string> | undefined)
      },
      keep: async (answer) => {
        const secret = await key()
        if (secret !== undefined) await answers.keep(question, answer, secret)
      },
    }
  }

  /** Returns the latest answer to a read request of any account of this sign-in, without sending a request. */
  recall<T>(operation: Operation<T>, subject: ReadSubject): T | undefined {
    return this.#shared.coalescer.recall<T>(this.#keyOf(operation, subject))?.value
  }

  #keyOf(operation: Operation<unknown>, { panel, locale = '', token = '' }: ReadSubject): string {
    const { url, apiVersion } = this.settings
    const { name, form, isAboutPanel } = operation
    // Without a session token, the answer is the same for all panels of the account.
    const { serial, userCode } = (isAboutPanel && panel) || {}
    return JSON.stringify([url, apiVersion, name, form, serial, userCode, locale, token])
  }

  /**
   * Sends a command in the lane of commands. Commands are not coalesced, and a command is never sent again once
   * the service may have accepted it.
   * @throws KeyholderError if the service certainly did not accept it
   */
  async sendCommand(operation: Operation<ProcessToken>, order: CommandRequest): Promise<Sent> {
    try {
      const { value } = await this.#authenticatedRequests.performOnce(operation, order)
      return { token: value.process_token }
    } catch (thrown) {
      if (thrown instanceof InDoubt) return { doubt: thrown.error }
      throw thrown
    }
  }

  /**
   * Returns the whole answer to the sign-in, without its tokens. Signs in if there was no sign-in yet.
   * @throws KeyholderError
   */
  async session(): Promise<Answer<JsonValue>> {
    await this.#shared.serviceUser.recalled
    await this.#shared.stats.count(this.#signIn.userCredential())
    const { signedIn } = this.#shared.session
    if (signedIn === undefined)
      throw new KeyholderError(
        'SESSION_EXPIRED',
        'There is no session with the service at the moment. Send the message again.',
      )
    return { ...signedIn, value: signedIn.value.details }
  }

  /**
   * Throws during a backoff, including one from before a restart.
   * @throws KeyholderError with the time left
   */
  async refuseDuringBackoff(): Promise<void> {
    await this.#shared.serviceUser.recalled
    this.#shared.serviceUser.refuseDuringBackoff()
  }

  /**
   * Returns the version that the service offers now. Use it for an account whose settings leave the choice to
   * the service.
   * @throws KeyholderError
   */
  negotiate(): Promise<string> {
    return this.#shared.stats.count(this.#baseUrl.renegotiate())
  }

  /**
   * Opens a panel with its user code if it is not open yet. A rejected code is not sent again.
   * @throws KeyholderError
   */
  async openPanel(panel: PanelKey): Promise<void> {
    await this.#shared.serviceUser.recalled
    await this.#shared.stats.count(this.#signIn.sessionCredential(panel))
  }
}

/**
 * Returns the log sentence for an account that joins others. It explains that the lowest cap applies to all
 * of them.
 */
function sharingNotice(isSession: boolean, limit: number): string {
  const what = isSession ? 'one sign-in and one limit' : 'one limit'
  return `Another alarm account node has the same e-mail at the same service. These nodes share ${what} of ${limit} requests per minute. You need do nothing.`
}

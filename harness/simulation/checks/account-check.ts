import { inspect } from 'node:util'
import { minute } from '../../../src/duration.ts'
import { allowedPause, isRejection, requestedPause } from '../../disturbances/service-demands.ts'
import type { SimulatedFlow } from '../node-red/simulated-flow.ts'
import type { SentRequest } from '../process/network.ts'
import type { SimulatedProcess } from '../process/simulated-process.ts'
import { answerOf, operationOf, signIns } from '../service/service-log.ts'

const isTokenHeader = /^(user|session)-token$/i

/** Milliseconds in which a power cut can take back what was saved without being synchronized. */
const unsynchronized = 40_000

/** Milliseconds after a command in which it may still send requests. */
const commandTime = 5 * minute

/** Milliseconds for which the process after a killed one sends no secret that may be rejected. */
const pauseAfterKill = 5 * minute

/** The account of a life, as the nodes know it, and what the check must know of the service. */
export interface WatchedAccount {
  readonly origin: string
  /** The attempts that the account allows in a minute. */
  readonly cap: number
  /** True while a fault may cost more sign-ins than one. */
  isDisturbed(): boolean
  report(subject: string, sentence: string): void
}

/**
 * The rules for the requests of an account, whatever its service does:
 *
 * - **cap**: no more attempts in any minute than the account allows, over restarts too.
 * - **reserve**: a tenth of them is left for commands.
 * - **pause**: nothing is sent while a pause lasts that the service has asked for.
 * - **rejection**: a password or code that was rejected is not sent again.
 * - **sign-in**: one sign-in and one opening of a panel for each expiry.
 * - **origin**: nothing is sent to another origin.
 * - **tokens**: a process sends only tokens that were given to it.
 * - **place of a secret**: passwords only in a sign-in, codes only when a panel is opened, tokens only in their headers.
 * - **canary**: no secret is in a message, a status, an error or the log.
 */
export class AccountCheck {
  /** The moment until which answers excuse that nothing is sent, in milliseconds of the monotonic clock. */
  mayWaitUntil = Number.NEGATIVE_INFINITY
  /** The end of the longest pause that an answer asked for, and the moment of this answer. */
  #pausedUntil = Number.NEGATIVE_INFINITY
  #pausedAt = Number.NEGATIVE_INFINITY
  /** The end of the time in which a process that knows no rejection sends no secret. */
  #heldUntil = Number.NEGATIVE_INFINITY
  readonly #of: WatchedAccount
  #latest: number[] = []
  #commandAt = Number.NEGATIVE_INFINITY
  /** The secrets that were rejected, each with the moment. */
  readonly #rejected = new Map<string, number>()
  readonly #passwords = new Set<string>()
  readonly #codes = new Set<string>()
  readonly #tokens = new Set<string>()
  /** The tokens that the process of the latest request has got. */
  readonly #received = new Set<string>()
  /** The number of renewals that have a reason. */
  readonly #due = new Map(signIns.map((operation) => [operation, 1]))
  #isSecretRejected = false
  /** The process of the latest request. */
  #process: SimulatedProcess | undefined
  /** The moment of its first request. */
  #processAt = Number.NEGATIVE_INFINITY

  constructor(of: WatchedAccount) {
    this.#of = of
  }

  /** True if the secret that the nodes used last was rejected. */
  get isSecretRejected(): boolean {
    return this.#isSecretRejected
  }

  /** All passwords, codes and tokens so far. */
  get secrets(): string[] {
    return [...this.#passwords, ...this.#codes, ...this.#tokens]
  }

  /** Notes that the nodes have these secrets from now on. */
  noteSecrets(password: string, userCode: string): void {
    this.#passwords.add(password)
    this.#codes.add(userCode)
    this.#isSecretRejected = false
  }

  /** Notes that tokens are lost, so that a sign-in and the opening of the panel have a reason. */
  needSignIn(): void {
    for (const operation of signIns) this.#due.set(operation, 1)
  }

  /**
   * Notes that a process was killed. What it was about to save may be lost: then it waits before it sends a secret again.
   * @param isPowerLost the machine too; the attempts and pauses of the latest moments are not synchronized
   * @param savingTime milliseconds in which the outcome of a request is saved
   */
  kill(now: number, isPowerLost: boolean, savingTime: number): void {
    if (isPowerLost) this.#latest = []
    if (now - this.#pausedAt < (isPowerLost ? unsynchronized : savingTime))
      this.#pausedUntil = Number.NEGATIVE_INFINITY
    const rejectedAt = Math.max(...this.#rejected.values())
    if (now - rejectedAt >= savingTime) return
    this.#rejected.clear()
    this.#heldUntil = rejectedAt + pauseAfterKill
  }

  /** Notes that a process ends that could write nothing since a moment: the next one cannot know the answers since then. */
  forgetAnswers(since: number): void {
    if (this.#pausedAt >= since) this.#pausedUntil = Number.NEGATIVE_INFINITY
    // Nor could it note that it sends a secret.
    this.#heldUntil = Number.NEGATIVE_INFINITY
    for (const [secret, at] of this.#rejected) if (at >= since) this.#rejected.delete(secret)
  }

  /** Notes that somebody gives a command. */
  noteCommand(now: number): void {
    this.#commandAt = now
  }

  /** Takes a request that the service has received. */
  receive(now: number): void {
    const { cap } = this.#of
    this.#latest = [...this.#latest.filter((one) => one > now - minute), now]
    const { length } = this.#latest
    if (length > cap) this.#report('cap', `${length} attempts in a minute, and ${cap} are allowed`)
    const shared = cap - Math.floor(cap / 10)
    // Those that the end of a process has cut off may have been in the reserve.
    if (length > shared && now > Math.max(this.#commandAt + commandTime, this.#processAt + minute))
      this.#report('reserve', `${length} attempts in a minute without a command, and ${shared} are allowed`)
  }

  /** Returns true if the last minute had more than half of the allowed attempts: then polls are spread, or wait for room. */
  isBusy(now: number): boolean {
    return 2 * this.#latest.filter((one) => one > now - minute).length > this.#of.cap
  }

  /** Takes a request that the nodes have sent. */
  send(request: SentRequest): void {
    const { at, url, process } = request
    const operation = operationOf(request)
    // A process has no tokens at first.
    if (process !== this.#process) {
      this.needSignIn()
      this.#received.clear()
      this.#processAt = at
    }
    this.#process = process
    if (at < this.#pausedUntil)
      this.#report(
        'pause',
        `${operation} is sent ${(this.#pausedUntil - at) / 1000} s before the end of a pause`,
      )
    if (url.origin !== this.#of.origin) this.#report('origin', `${operation} is sent to ${url.origin}`)
    this.#checkSecrets(request)
    this.#checkTokens(request)
    if (signIns.includes(operation)) this.#checkRenewal(request)
  }

  /** Takes a request whose answer has arrived. */
  answer(request: SentRequest, now: number): void {
    const operation = operationOf(request)
    const response = answerOf(request)
    if (response === undefined) return
    const asked = requestedPause(response)
    if (now + asked > this.#pausedUntil && asked > 0) {
      this.#pausedUntil = now + asked
      this.#pausedAt = now
    }
    const allowed = allowedPause(response)
    if (allowed > 0) this.mayWaitUntil = Math.max(this.mayWaitUntil, now + allowed)
    if (isRejection(operation, response)) {
      for (const secret of this.#secretsIn(request)) this.#rejected.set(secret, now)
      this.#isSecretRejected = true
    }
    if (!signIns.includes(operation)) return
    if (response.status === 200) this.#noteToken(String(response.body ?? ''))
    else this.needSignIn()
  }

  /** Looks for secrets in all that the nodes have told. */
  checkTold(flow: SimulatedFlow, nodes: readonly string[]): void {
    const all = nodes.map((name) => [flow.status(name).all, flow.output(name).all])
    const told = [all, flow.logged]
    const text = `${JSON.stringify(told)} ${flow.errors.map((error) => inspect(error, { depth: 5 })).join(' ')}`
    for (const secret of this.secrets) {
      const place = text.indexOf(secret)
      if (place >= 0)
        this.#report('canary', `a secret is told: … ${text.slice(Math.max(0, place - 80), place + 40)} …`)
    }
  }

  #checkSecrets(request: SentRequest): void {
    const { url, headers } = request
    const operation = operationOf(request)
    const body = bodyOf(request)
    const parts = [
      { secrets: this.#passwords, isPlace: operation === 'auth' },
      { secrets: this.#codes, isPlace: operation === 'panel/login' },
      { secrets: this.#tokens, isPlace: false },
    ]
    const names = Object.entries(headers).filter(([name]) => !isTokenHeader.test(name))
    const open = `${url.href} ${JSON.stringify(names)}`
    for (const { secrets, isPlace } of parts)
      for (const secret of secrets)
        if (open.includes(secret) || (!isPlace && body.includes(secret)))
          this.#report('place of a secret', `${operation} is sent with a secret that does not belong there`)
  }

  #checkTokens(request: SentRequest): void {
    for (const [name, token] of Object.entries(request.headers))
      if (isTokenHeader.test(name) && !this.#received.has(token))
        this.#report('tokens', `${operationOf(request)} is sent with a ${name} of another process`)
  }

  #checkRenewal(request: SentRequest): void {
    const operation = operationOf(request)
    if (this.#secretsIn(request).some((secret) => this.#rejected.has(secret)))
      this.#report('rejection', `${operation} is sent with a secret that was rejected`)
    if (request.at < this.#heldUntil)
      this.#report('rejection', `${operation} is sent right after a kill, and its secret may be rejected`)
    if (this.#of.isDisturbed()) {
      this.needSignIn()
      return
    }
    const due = this.#due.get(operation) ?? 0
    if (due === 0) this.#report('sign-in', `${operation} is sent without an expiry`)
    this.#due.set(operation, 0)
  }

  #secretsIn(request: SentRequest): string[] {
    const known = operationOf(request) === 'auth' ? this.#passwords : this.#codes
    const body = bodyOf(request)
    return [...known].filter((secret) => body.includes(`"${secret}"`))
  }

  #noteToken(body: string): void {
    for (const [, token] of body.matchAll(/"(?:user|session)_token":"([^"]+)"/g))
      for (const known of [this.#tokens, this.#received]) known.add(`${token}`)
  }

  #report(invariant: string, sentence: string): void {
    this.#of.report(invariant, `account, ${invariant}: ${sentence}`)
  }
}

function bodyOf({ body }: SentRequest): string {
  return JSON.stringify(body) ?? ''
}

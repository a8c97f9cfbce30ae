import type { Clock } from '../../clock.ts'
import { second } from '../../duration.ts'
import { type ClassifiedError, classifyError, isPage, type Reply } from '../../service/classify-error.ts'
import {
  asKeyholderError,
  checkService,
  type ErrorCode,
  KeyholderError,
  reportAddress,
} from '../../service/error.ts'
import type { Operation } from '../../service/operations.ts'
import { parse, parseJson } from '../../service/schema.ts'
import type { Success } from '../answer.ts'
import type { Attempt, HttpClient } from '../http/http-client.ts'
import type { Credentials } from '../service-user/auth/token-holder.ts'
import type { HeldPlace } from '../service-user/rate-limit/attempt-queue.ts'
import { parseRetryAfter } from '../service-user/rate-limit/backoff.ts'
import type { QueuePosition } from '../service-user/rate-limit/rate-limiter.ts'
import type { ServiceUser } from '../service-user/service-user.ts'
import type { RequestHistory, RequestLog, RequestStats } from './request-history.ts'

/** The header of each request: a cache on the way asks the service first (RFC 9111, 5.2.1.4). */
const noCache = { 'Cache-Control': 'no-cache' } as const

/** The largest number of seconds: a cache tells it instead of all larger ones (RFC 9111, 1.2.2). */
const maxSeconds = 2 ** 31

/**
 * Returns the milliseconds for which a cache has kept an answer, by the header `Age` (RFC 9111, 5.1); undefined if none
 * has. Caches exist where a proxy ends TLS, and some of them do not ask the service first.
 */
export function cachedFor(age: string | undefined): number | undefined {
  if (age === undefined || !/^\d+$/.test(age)) return undefined
  return Math.min(Number(age), maxSeconds) * second
}

/** The dependencies of an exchange. */
export interface ExchangeDependencies {
  serviceUser: ServiceUser
  /** Knows the words that no error may show. */
  session: { isSecret(word: string): boolean }
  /** Learns from each outcome whether the version in use still works. */
  version: {
    noteOutcome(
      operation: string,
      outcome: Success<unknown> | ClassifiedError | undefined,
      body?: string,
    ): void
  }
  stats: RequestStats
  history: RequestHistory
  httpClient: HttpClient
  clock: Clock
  log: RequestLog
  random(): number
}

/** An attempt without its headers, which are made of the tokens. */
export type UnsentAttempt = Omit<Attempt, 'signal' | 'headers'> & {
  credentials: Credentials
  /** The language that was asked for. */
  locale?: string
}

/**
 * Makes one exchange with the service: respects the backoff, uses the budget, makes one attempt, classifies
 * the answer.
 * @throws KeyholderError the error of the HTTP client, or the error of the backoff during a backoff
 * @throws StaleToken before anything is sent, if the tokens have been replaced
 */
export async function exchange<T>(
  parts: ExchangeDependencies,
  operation: Pick<Operation<T>, 'name' | 'check'>,
  attempt: UnsentAttempt,
  place: QueuePosition,
): Promise<Success<T> | ClassifiedError> {
  const { serviceUser, httpClient, clock, log } = parts
  const queuedAt = clock.monotonic()
  const mayStart = () => {
    refuseDuringBackoff(parts, operation.name, place)
    attempt.credentials.refuseStale()
  }
  return serviceUser.rateLimiter.run({ ...place, timeout: httpClient.timeout }, mayStart, async (held) => {
    // While the attempt was counted, an answer in another lane may have started a backoff.
    mayStart()
    log.trace?.(
      `"${operation.name}": sending after ${Math.round(clock.monotonic() - queuedAt)} ms in the queue`,
    )
    return send(parts, operation, attempt, place, held)
  })
}

/** Makes a counted attempt, and notes all that its answer tells. */
async function send<T>(
  parts: ExchangeDependencies,
  operation: Pick<Operation<T>, 'name' | 'check'>,
  { method, url, body, onSend, credentials, locale }: UnsentAttempt,
  { lane, signal, panel }: QueuePosition,
  held: HeldPlace,
): Promise<Success<T> | ClassifiedError> {
  const { serviceUser, session, version, stats, history, httpClient, clock, log, random } = parts
  const { name } = operation
  const sentAt = clock.monotonic()
  const at = clock.wall()
  const note = (status: number | null, code: ErrorCode | null, reply?: Reply) => {
    const tookMs = Math.round(clock.monotonic() - sentAt)
    history.add({ at, method, operation: name, status, code, tookMs }, reply, panel)
    if (log.debug === undefined) return
    const { limit, usedLastMinute } = serviceUser.rateLimiter.figures
    const left = `${limit - usedLastMinute} of ${limit} requests left in this minute`
    const result = [status && `answer ${status}`, code].filter(Boolean).join(' ')
    log.debug(`${method} "${name}": ${result} in ${tookMs} ms (${lane}, ${left})`)
  }
  let reply: Reply
  try {
    const headers = { ...credentials.headers, ...noCache }
    reply = await httpClient.fetch({ method, url, headers, body, signal, onSend, held })
  } catch (thrown) {
    const error = asKeyholderError(thrown)
    stats.noteUnreached(error)
    if (error.code !== 'CLOSED') version.noteOutcome(name, undefined)
    note(null, error.code)
    throw thrown
  }
  stats.noteReply()
  const { status = 0 } = reply
  const isSuccess = status >= 200 && status < 300
  const refusal = isSuccess ? undefined : classifyError(reply, name, (word) => session.isSecret(word), locale)
  const cached = cachedFor(reply.age)
  const request = { sentAt, session: credentials.session, ...(cached !== undefined && { cached }) }
  const outcome = refusal ?? checked(reply, operation, request)
  note(reply.status ?? null, 'error' in outcome ? outcome.error.code : null, reply)
  version.noteOutcome(name, outcome, reply.body)
  // Part of the attempt, because the next attempt in the queue may start as soon as this one is over.
  if (refusal !== undefined) credentials.expire(refusal.effect)
  if (refusal?.effect === 'hold') {
    const asked = parseRetryAfter(refusal.seconds ?? reply.retryAfter, serviceTime(reply, clock))
    const shortest = refusal.minSeconds * second
    await serviceUser.backOff(refusal.error, { asked, shortest }, random())
    log.trace?.(`"${name}": ${pauseOf(parts, asked)}`)
    return { ...refusal, error: serviceUser.withTimeLeft(refusal.error) }
  }
  serviceUser.noteReply(sentAt)
  return outcome
}

/**
 * Throws during a backoff, and notes that in the log.
 * @throws KeyholderError with the code of the error that caused the backoff, and the time left
 */
export function refuseDuringBackoff(
  parts: ExchangeDependencies,
  operation: string,
  position: Pick<QueuePosition, 'lane' | 'isForAllCallers'>,
): void {
  try {
    parts.serviceUser.refuseDuringBackoff(position)
  } catch (thrown) {
    parts.log.trace?.(`"${operation}": not sent, ${asKeyholderError(thrown).code}; ${pauseOf(parts)}`)
    throw thrown
  }
}

/** Returns the length of the current backoff for the log. */
function pauseOf({ serviceUser }: ExchangeDependencies, asked?: number): string {
  const seconds = Math.ceil(serviceUser.backoffLeft / second)
  return `no requests for ${seconds} s${asked === undefined ? '' : ', as the service asked'}`
}

/** Returns the time of the service: this machine's clock may be wrong by days until a time server sets it. */
function serviceTime({ date = '' }: Reply, clock: Clock): number {
  return Date.parse(date) || clock.wall()
}

function checked<T>(
  reply: Reply,
  { name, check }: Pick<Operation<T>, 'name' | 'check'>,
  request: Omit<Success<T>, 'value'>,
): Success<T> | ClassifiedError {
  const json = parseJson(reply.body)
  const parsed = json === undefined ? undefined : parse(check, json)
  if (parsed !== undefined) return { value: parsed.value, ...request }
  const isWebPage = isPage(reply.body)
  const what = isWebPage ? 'is a web page' : 'is not JSON'
  const sentence =
    json === undefined
      ? `${what}. ${checkService} The service may also be under maintenance.`
      : `cannot be understood. If all requests fail, check "Service address" in the alarm account node. If only this one fails for days, please report it at ${reportAddress}.`
  const error = new KeyholderError(
    'BAD_RESPONSE',
    `The answer to the request "${name}" ${sentence}`,
    { status: reply.status },
    isWebPage ? { isPage: true } : {},
  )
  // A withdrawn version answers with a page instead of data. The versions are then requested again.
  return { effect: json === undefined ? 'not there' : 'failed', error, minSeconds: 0, namesReason: false }
}

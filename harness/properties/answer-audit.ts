import { minute, second } from '../../src/duration.ts'
import type { RequestContext } from '../../src/simulator/faults/active-faults.ts'
import { bodyText, type HttpResponse } from '../../src/simulator/http/http-response.ts'
import type { AccountHarness } from '../account.ts'

const day = 24 * 60 * minute

/** The names and numbers with which the service says that an e-mail, a password or a code is wrong. */
const wrongSecret: readonly unknown[] = ['WrongCombination', 10004, 'WrongUserCode', 10021]
const wrongField: readonly unknown[] = ['BadRequestParams', 10001]

/** The statuses that mean a limit which a person must remove; the client waits an hour. */
const reachedLimit: readonly number[] = [442, 443]

/**
 * Records what the answers of a simulated service oblige a client to, by the contract and not by the tables of
 * the client: pauses, and secrets that are never sent again.
 */
export class AnswerAudit {
  /** The end of the longest pause that an answer asked for, in milliseconds of the monotonic clock. */
  askedUntil = 0
  readonly #at: AccountHarness
  /** The number of requests before each first rejection, by operation. */
  readonly #rejections = new Map<string, number>()
  /** The operations whose rejection may have been lost on the way. */
  readonly #uncertain = new Set<string>()
  #stop = () => {}

  constructor(at: AccountHarness) {
    this.#at = at
    this.renew(false)
  }

  /** The operations whose secrets were rejected with a known reason. */
  get rejected(): string[] {
    return [...this.#rejections.keys(), ...this.#uncertain]
  }

  /** Returns the number of attempts with secrets whose rejection has arrived. */
  countRepeatedRejections(): number {
    const { requests } = this.#at.simulator
    return [...this.#rejections]
      .map(([operation, before]) =>
        requests.slice(before).filter(({ path }) => path.endsWith(`/${operation}`)),
      )
      .reduce((sum, repeated) => sum + repeated.length, 0)
  }

  /**
   * Records the answers after all faults that were started so far.
   * @param isLossy true if a fault may lose or change an answer on its way to the client
   */
  renew(isLossy: boolean): void {
    this.#stop()
    this.#stop = this.#at.simulator.faults.start({
      name: 'recording of the answers',
      answer: (getOriginal, context) => {
        const response = getOriginal()
        this.#note(context, response, isLossy)
        return response
      },
    })
  }

  #note({ operation }: RequestContext, response: HttpResponse, isLossy: boolean): void {
    const now = this.#at.clock.monotonic()
    const asked = Math.min(day, askedPause(response))
    if (asked > 0) this.askedUntil = Math.max(this.askedUntil, now + asked)
    if (!isRejection(operation, response)) return
    if (isLossy) this.#uncertain.add(operation)
    else if (!this.#rejections.has(operation))
      this.#rejections.set(operation, this.#at.simulator.requests.length)
  }
}

interface ErrorBody {
  error?: unknown
  error_message?: unknown
  error_reason_code?: unknown
  extras?: unknown
}

function bodyOf(response: HttpResponse): { body: ErrorBody; extras: { key: string; value: unknown }[] } {
  let body: ErrorBody = {}
  try {
    body = JSON.parse(bodyText(response)) ?? {}
  } catch {}
  const extras = Array.isArray(body.extras) ? body.extras : []
  return { body, extras }
}

/** Returns true if an answer names the secrets of a sign-in or of the opening of a panel as wrong. */
function isRejection(operation: string, response: HttpResponse): boolean {
  if (operation !== 'auth' && operation !== 'panel/login') return false
  const { status } = response
  if (bodyText(response).trimStart().startsWith('<')) return false
  if (status === 444 || status === 445) return true
  const { body, extras } = bodyOf(response)
  const reasons = [body.error, body.error_reason_code]
  if (status !== 400) return false
  if (reasons.some((reason) => wrongSecret.includes(reason))) return true
  const fields = operation === 'auth' ? /^(email|password)$/ : /(_code|^panel_serial)$/
  return reasons.some((reason) => wrongField.includes(reason)) && extras.some(({ key }) => fields.test(key))
}

/** Returns the milliseconds for which an answer asks the client to send nothing. */
function askedPause(response: HttpResponse): number {
  const { status, headers = {} } = response
  if (reachedLimit.includes(status)) return 60 * minute
  if (status < 400) return 0
  const { body, extras } = bodyOf(response)
  const isWrongAppId = [body.error_message, ...extras.map(({ key }) => key)].some((word) =>
    /app_id|device_id/.test(`${word}`),
  )
  if (status === 400) return isWrongAppId ? 60 * minute : 0
  const timeout = Number(extras.find(({ key }) => key === 'timeout')?.value)
  const asked = timeout > 0 ? timeout : Number(headers['Retry-After'])
  return asked > 0 ? asked * second : 0
}

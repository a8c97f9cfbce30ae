import { type ClassifiedError, isExpiry } from '../../service/classify-error.ts'
import { hasCode, KeyholderError } from '../../service/error.ts'
import { rejectedWithoutReason } from '../../service/error-table.ts'
import type { Operation } from '../../service/operations.ts'
import { type ExchangeDependencies, exchange, refuseDuringBackoff } from '../requests/exchange.ts'
import type { Credentials } from '../service-user/auth/credentials.ts'
import { Refused, Rejected } from '../service-user/auth/rejected-credentials.ts'
import type { TokenHolder } from '../service-user/auth/token-holder.ts'
import { forAllCallers } from '../service-user/rate-limit/rate-limiter.ts'
import type { BaseUrl } from '../version/base-url.ts'
import { PathUnknown } from './sign-in-path.ts'

/** One attempt at a sign-in or at the opening of a panel. */
export interface SignInAttempt {
  body: Record<string, unknown>
  credentials: Credentials
  /** The holder of the token that the attempt is to get. */
  session: TokenHolder
  /** The serial of the panel to open. */
  panel?: string
  /** True if the sign-in may be at this path or at another one. */
  isOneOfTwo?: boolean
}

/**
 * Makes one attempt at a sign-in or at POST /panel/login. All other requests wait for it.
 *
 * The service may count a sign-in that fails or gets no answer. The token holder therefore waits before the
 * next one.
 * @throws Rejected for secrets that stay wrong, and Refused for those that may be right
 * @throws PathUnknown for one of two paths, if the service does not have it
 * @throws KeyholderError
 */
export async function attemptSignIn<T>(
  parts: ExchangeDependencies,
  baseUrl: BaseUrl,
  operation: Operation<T>,
  { body, credentials, session, panel, isOneOfTwo = false }: SignInAttempt,
): Promise<T> {
  const place = forAllCallers(panel)
  refuseDuringBackoff(parts, operation.name, place)
  const base = await baseUrl.base()
  let wasSent = false
  const onSend = () => {
    wasSent = true
  }
  const attempt = { method: operation.method, url: base + operation.path, credentials, body, onSend }
  await session.noteSending()
  const outcome = await exchange(parts, operation, attempt, place).catch((thrown) => {
    if (wasSent && hasCode(thrown, 'TIMEOUT')) session.noteFailure(thrown)
    throw thrown
  })
  if ('value' in outcome) return outcome.value
  const { effect, error } = outcome
  if (effect === 'rejected') throw new Rejected(error)
  if (effect === 'refused') throw new Refused(error, session.isProven, thirdTime(operation.name, outcome))
  const hasMoved = effect === 'not there' && (await baseUrl.hasMovedFrom(base))
  if (isOneOfTwo && !hasMoved && effect === 'not there' && error.code === 'NOT_FOUND')
    throw new PathUnknown(error)
  const isRepeated = hasMoved || effect === 'hold' || (isExpiry(outcome) && credentials.hasTokens)
  if (!isRepeated) session.noteFailure(error)
  throw error
}

/** Returns the error of the third refusal within an hour; undefined if the service names a reason for it. */
function thirdTime(operation: string, { error, namesReason }: ClassifiedError): KeyholderError | undefined {
  const rejected = rejectedWithoutReason[operation]
  if (namesReason || rejected === undefined) return undefined
  const { status } = error
  return new KeyholderError(rejected.code, rejected.sentence, { status })
}

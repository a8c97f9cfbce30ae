import type { Clock } from '../clock.ts'
import { type Check, parse } from '../service/check.ts'
import { asKeyholderError, KeyholderError } from '../service/error.ts'
import { isPage, jsonOf, judge, type Reply, type Verdict } from '../service/verdict.ts'
import { type Access, isSecret } from './access.ts'
import type { Place } from './budget.ts'
import type { Credentials } from './credentials.ts'
import { askedPause } from './hold.ts'
import type { Attempt, Transport } from './transport.ts'

/** A checked value and when it was asked for (milliseconds of the monotonic clock). */
export interface Success<T> {
  value: T
  sentAt: number
}

/** What an exchange needs. */
export interface ExchangeParts {
  access: Access
  transport: Transport
  clock: Clock
  random(): number
}

/**
 * One exchange with the service: the hold respected, the budget taken, one attempt made, the answer judged.
 * @throws KeyholderError what the transport throws, or the error of the hold while the user is held
 * @throws Outdated before anything is sent, where the tokens are not the present ones any more
 */
export async function exchange<T>(
  { access, transport, clock, random }: ExchangeParts,
  operation: { name: string; check: Check<T> },
  { credentials, ...attempt }: Omit<Attempt, 'signal' | 'headers'> & { credentials: Credentials },
  place: Place,
): Promise<Success<T> | Verdict> {
  const { conduct, record } = access
  return conduct.budget.attempt(
    place,
    () => {
      conduct.refuseWhileHeld()
      credentials.refuseOutdated()
    },
    async () => {
      const sentAt = clock.monotonic()
      const sending = { ...attempt, headers: credentials.headers, signal: place.signal }
      const reply = await transport.attempt(sending).catch((thrown) => {
        record.notReached(asKeyholderError(thrown))
        throw thrown
      })
      record.reached()
      const isWell = reply.status >= 200 && reply.status < 300
      const verdict = isWell ? undefined : judge(reply, operation.name, (word) => isSecret(access, word))
      // Within the attempt: as soon as it is over, the next in line may start.
      if (verdict !== undefined) credentials.expire(verdict.meaning)
      if (verdict?.meaning === 'hold') {
        const asked = askedPause(verdict.seconds ?? reply.retryAfter, serviceTime(reply, clock))
        await conduct.hold(verdict.error, asked, random())
      } else {
        conduct.heard(sentAt)
      }
      return verdict ?? checked(reply, operation, sentAt)
    },
  )
}

/** What time it is for the service: this machine's clock may be wrong by days until a time server has set it. */
function serviceTime({ date = '' }: Reply, clock: Clock): number {
  return Date.parse(date) || clock.wall()
}

function checked<T>(
  reply: Reply,
  { name, check }: { name: string; check: Check<T> },
  sentAt: number,
): Success<T> | Verdict {
  const json = jsonOf(reply.body)
  const parsed = json === undefined ? undefined : parse(check, json)
  if (parsed !== undefined) return { value: parsed.value, sentAt }
  const what =
    json !== undefined
      ? 'with something of another shape than expected'
      : isPage(reply.body)
        ? 'with a web page instead of data'
        : 'with something that is no JSON'
  const error = new KeyholderError(
    'BAD_RESPONSE',
    `The service answered ${name} ${what}. Check the account's url; the service may also be under maintenance.`,
    { status: reply.status },
  )
  // A page instead of data is how a withdrawn version answers: then the versions are worth asking again.
  return { meaning: json === undefined ? 'not there' : 'failed', error }
}

import type { Clock } from '../clock.ts'
import { type Check, parse } from '../service/check.ts'
import { KeyholderError } from '../service/error.ts'
import { isPage, jsonOf, judge, type Reply, type Verdict } from '../service/verdict.ts'
import type { Access } from './access.ts'
import type { Place } from './budget.ts'
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
 */
export async function exchange<T>(
  { access: { conduct }, transport, clock, random }: ExchangeParts,
  operation: { name: string; check: Check<T> },
  attempt: Omit<Attempt, 'signal'>,
  place: Place,
): Promise<Success<T> | Verdict> {
  return conduct.budget.attempt(
    place,
    () => conduct.refuseWhileHeld(),
    async () => {
      const sentAt = clock.monotonic()
      const reply = await transport.attempt({ ...attempt, signal: place.signal })
      if (reply.status >= 200 && reply.status < 300) return checked(reply, operation, sentAt)
      const verdict = judge(reply, operation.name)
      // Within the attempt: as soon as it is over, the next in line may start.
      if (verdict.meaning === 'hold') {
        const asked = verdict.seconds === undefined ? reply.retryAfter : String(verdict.seconds)
        await conduct.hold(verdict.error, askedPause(asked, clock.wall()), random())
      }
      return verdict
    },
  )
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

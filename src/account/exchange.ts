import type { Clock } from '../clock.ts'
import { type Check, parse } from '../service/check.ts'
import { KeyholderError } from '../service/error.ts'
import { jsonOf, judge, type Reply, type Verdict } from '../service/verdict.ts'
import type { Access } from './access.ts'
import type { Place } from './budget.ts'
import { askedPause, ownPause } from './hold.ts'
import type { Attempt, Transport } from './transport.ts'

/** A success with its checked value, or the judgement over a failure. */
export type Outcome<T> = { value: T; dropped: number } | Verdict

/** What an exchange needs. */
export interface ExchangeParts {
  access: Access
  transport: Transport
  clock: Clock
  random(): number
}

/**
 * One exchange with the service: the hold respected, the budget taken, one attempt made, the answer judged.
 * @throws KeyholderError what the transport throws, or the error of the hold while the account is held
 */
export async function exchange<T>(
  { access, transport, clock, random }: ExchangeParts,
  operation: { name: string; check: Check<T> },
  attempt: Omit<Attempt, 'signal'>,
  place: Place,
): Promise<Outcome<T>> {
  const reply = await access.budget.attempt(place, () => {
    refuseWhileHeld(access, clock)
    return transport.attempt({ ...attempt, signal: place.signal })
  })
  if (reply.status >= 200 && reply.status < 300) {
    access.holdsInARow = 0
    return checked(reply, operation)
  }
  const verdict = judge(reply, operation.name)
  if (verdict.meaning === 'hold') {
    const asked = verdict.seconds === undefined ? undefined : String(verdict.seconds)
    hold(access, clock, verdict.error, askedPause(asked ?? reply.retryAfter, clock.wall()), random)
  }
  return verdict
}

/** Holds the whole account for the time asked for, or for our own growing pause where none was. */
export function hold(
  access: Access,
  clock: Clock,
  error: KeyholderError,
  asked: number | undefined,
  random: () => number,
): void {
  access.holdsInARow += 1
  const pause = asked ?? ownPause(access.holdsInARow, random())
  access.hold = { until: clock.monotonic() + pause, error }
  void access.ledger.noteHold(pause)
}

/**
 * The hold that is in force now.
 * @throws KeyholderError with the held error's code and the seconds left
 */
export function refuseWhileHeld(access: Access, clock: Clock): void {
  const left = heldFor(access, clock)
  if (left === 0 || access.hold === undefined) return
  const { code, message, status, reason } = access.hold.error
  throw new KeyholderError(
    code,
    `${message} Nothing is sent for another ${Math.ceil(left / 1000)} seconds.`,
    { ...(status === undefined ? {} : { status }), ...(reason === undefined ? {} : { reason }) },
  )
}

/** Milliseconds for which the account is still held; 0 when it is not. */
export function heldFor(access: Access, clock: Clock): number {
  return Math.max(0, (access.hold?.until ?? 0) - clock.monotonic())
}

function checked<T>(reply: Reply, { name, check }: { name: string; check: Check<T> }): Outcome<T> {
  const json = jsonOf(reply.body)
  const parsed = json === undefined ? undefined : parse(check, json)
  if (parsed !== undefined) return parsed
  const what =
    json !== undefined
      ? 'with something of another shape than expected'
      : /^\s*</.test(reply.body)
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

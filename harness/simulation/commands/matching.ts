import type { GivenCommand } from './given-commands.ts'
import type { SentCommand, ServedRequest } from './served-commands.ts'
import { isArming, type WantedCommand } from './wanted-command.ts'

/** The words of an error that says that a command never left, and the codes of refusals by the nodes themselves. */
const unsent = /was not sent|was not carried out|othing was sent/
const refusals: readonly string[] = [
  'BAD_SETTING',
  'COMMANDS_DISABLED',
  'NOT_ALLOWED',
  'NOT_SETTABLE',
  'INVALID_TRANSITION',
]

/** Returns true if nothing of a command may have been sent, by what was told of its end. */
export function isToldUnsent({ outcomes }: GivenCommand): boolean {
  return outcomes.some(
    (outcome) =>
      (outcome.kind === 'failed' && (unsent.test(outcome.sentence) || refusals.includes(outcome.code))) ||
      (outcome.kind === 'done' && outcome.payload?.already === true && outcome.payload.state !== 'DISARM'),
  )
}

/** Returns true if a request is what a command asks the service for. */
export function isRequestOf(request: ServedRequest, command: WantedCommand): boolean {
  if (request.action !== command.action) return false
  if (request.action === 'set_state' && command.action === 'set_state') {
    const { partition, state, options } = request
    const [wanted, option] = command.state === 'NIGHT' ? ['HOME', 'NOENTRY'] : [command.state, undefined]
    return partition === command.partition && state === wanted && options[0] === option
  }
  if (request.action === 'bypass' && command.action === 'bypass')
    return request.zone === command.zone && request.enabled === command.enabled
  return true
}

/**
 * Finds the command behind each request that was sent: each command asks for one, from its arrival to its end. Of
 * several, the one that ended first.
 */
export function matchRequests(
  sent: readonly SentCommand[],
  given: readonly GivenCommand[],
): ReadonlyMap<SentCommand, GivenCommand> {
  const matches = new Map<SentCommand, GivenCommand>()
  const taken = new Set<GivenCommand>()
  for (const one of sent) {
    const possible = given.filter(
      (other) =>
        isRequestOf(one.request, other.command) &&
        !taken.has(other) &&
        !isToldUnsent(other) &&
        other.at <= one.at &&
        one.at <= endOf(other),
    )
    const [first] = possible.sort((one, other) => endOf(one) - endOf(other))
    if (first === undefined) continue
    taken.add(first)
    matches.set(one, first)
  }
  return matches
}

/** Returns the armings past open zones that may have asked for a request to bypass a zone, or to take that back. */
export function bypassingArmings(
  { at }: Pick<SentCommand, 'at'>,
  given: readonly GivenCommand[],
): GivenCommand[] {
  return given.filter((one) => isArming(one.command) && one.command.openZones === 'bypass' && one.at <= at)
}

/** Returns true if somebody has asked for a request itself, which is no step of an arming then. */
export function isExplicit(
  { request, at }: Pick<SentCommand, 'request' | 'at'>,
  given: readonly GivenCommand[],
): boolean {
  return given.some((one) => isRequestOf(request, one.command) && one.at <= at && at <= endOf(one))
}

function endOf({ endedAt }: GivenCommand): number {
  return endedAt ?? Number.POSITIVE_INFINITY
}

import type { AccountHealth } from '../../account/account-health.ts'
import { minute } from '../../duration.ts'
import { type Transports, unknownTransports } from '../../panel/state/partition-state.ts'
import { onOff } from './component.ts'

/** Facts for the diagnostic entities. */
interface DiagnosticFacts {
  online: boolean
  /** Absent if they are not known. */
  transports?: Transports
  /** Milliseconds since the last answer about the state; undefined before the first. */
  age: number | undefined
  /** Milliseconds for which an answer about the state is valid. */
  validFor: number
  account: Pick<AccountHealth, 'apiVersion' | 'budget' | 'heldUntil' | 'license'>
}

/** The diagnostics as JSON. */
export interface DiagnosticState {
  online: 'ON' | 'OFF' | null
  /** The ways of the panel to the service. */
  broadband: 'ON' | 'OFF' | null
  mobile: 'ON' | 'OFF' | null
  /** Whole minutes; 0 while the answer is valid. */
  age: number | null
  requests_left: number | null
  /** ISO 8601 in UTC. */
  held_until: string | null
  service_version: string | null
  license_end: string | null
}

/** The diagnostics of a panel that nobody reads. */
export const unknownDiagnostics: DiagnosticState = {
  online: null,
  broadband: null,
  mobile: null,
  age: null,
  requests_left: null,
  held_until: null,
  service_version: null,
  license_end: null,
}

/** The part of the request limit by which the requests that are left must change to be told again. */
const requestStep = 0.25

/**
 * Returns the diagnostics. They change seldom: the age is told only once it matters, and the requests that are left
 * only after a large change, because both are different at each poll.
 * @param before what was told last
 */
export function diagnosticState(
  { online, transports = unknownTransports, age, validFor, account }: DiagnosticFacts,
  before: DiagnosticState | undefined,
): DiagnosticState {
  const { budget, heldUntil, apiVersion, license } = account
  const left = Math.max(0, budget.limit - budget.usedLastMinute)
  const told = before?.requests_left
  const isNear = typeof told === 'number' && Math.abs(told - left) < requestStep * budget.limit && left > 0
  return {
    online: onOff(online),
    broadband: onOff(transports.broadband),
    mobile: onOff(transports.mobile),
    age: age === undefined ? null : age <= validFor ? 0 : Math.floor(age / minute),
    requests_left: isNear ? told : left,
    held_until: heldUntil === undefined ? null : new Date(heldUntil).toISOString(),
    service_version: apiVersion ?? null,
    license_end: license?.notAfter ?? null,
  }
}

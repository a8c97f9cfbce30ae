import type { AccountHealth } from '../../account/account-health.ts'
import { minute } from '../../duration.ts'
import { type Transports, unknownTransports } from '../../panel/state/partition-state.ts'
import type { Setup } from '../setup.ts'
import { bridgeTopic } from '../topics.ts'
import {
  availableBy,
  diagnostic,
  type Entity,
  type EntityState,
  offAtFirst,
  onOff,
  stateOf,
} from './component.ts'

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

/** The diagnostics as JSON: null while they are not known. */
export type DiagnosticState = Readonly<Record<string, EntityState | object>>

/** The part of the request limit by which the requests that are left must change to be told again. */
const requestStep = 0.25

type DiagnosticEntity = Entity<[DiagnosticFacts, DiagnosticState | undefined]>

/**
 * The diagnostic entities. Their states change seldom: the age is told only once it matters, and the requests that are left only
 * after a large change, because both are different at each poll.
 */
export const diagnosticEntities: Readonly<Record<string, DiagnosticEntity>> = {
  online: connection(({ online }) => online),
  // The ways of the panel to the service.
  broadband: connection(({ transports = unknownTransports }) => transports.broadband),
  mobile: connection(({ transports = unknownTransports }) => transports.mobile),
  // Whole minutes; 0 while the answer is valid.
  age: {
    ...sensor('mdi:clock-alert-outline', { device_class: 'duration', unit_of_measurement: 'min' }),
    state: ({ age, validFor }) => (age === undefined ? null : age <= validFor ? 0 : Math.floor(age / minute)),
  },
  requests_left: {
    ...sensor('mdi:gauge', { state_class: 'measurement', ...offAtFirst }),
    state({ account: { budget } }, before) {
      const left = Math.max(0, budget.limit - budget.usedLastMinute)
      const told = before?.requests_left
      const isNear =
        typeof told === 'number' && Math.abs(told - left) < requestStep * budget.limit && left > 0
      return isNear ? told : left
    },
  },
  // ISO 8601 in UTC.
  held_until: {
    ...sensor('mdi:pause-circle-outline', { device_class: 'timestamp' }),
    state: ({ account: { heldUntil } }) =>
      heldUntil === undefined ? null : new Date(heldUntil).toISOString(),
  },
  service_version: {
    ...sensor('mdi:tag-outline', offAtFirst),
    state: ({ account }) => account.apiVersion ?? null,
  },
  license_end: {
    ...sensor('mdi:certificate-outline', { device_class: 'timestamp', ...offAtFirst }),
    state: ({ account }) => account.license?.notAfter ?? null,
  },
}

function connection(of: (facts: DiagnosticFacts) => boolean | null): DiagnosticEntity {
  return {
    group: 'diagnostics',
    platform: 'binary_sensor',
    config: ({ setup }) => ({ device_class: 'connectivity', ...whileConnected(setup), ...diagnostic }),
    state: (facts) => onOff(of(facts)),
  }
}

function sensor(icon: string, config: object): DiagnosticEntity {
  return {
    group: 'diagnostics',
    platform: 'sensor',
    icon,
    config: ({ setup }) => ({ ...whileConnected(setup), ...diagnostic, ...config }),
  }
}

/** Returns the availability of an entity that also tells something while the panel is offline. */
function whileConnected(setup: Setup): object {
  return availableBy([bridgeTopic(setup)])
}

const keys = Object.keys(diagnosticEntities)

/** The diagnostics of a panel that nobody reads. */
export const unknownDiagnostics: DiagnosticState = Object.fromEntries(keys.map((key) => [key, null]))

/** Returns the diagnostics. @param before what was told last */
export function diagnosticState(
  facts: DiagnosticFacts,
  before: DiagnosticState | undefined,
): DiagnosticState {
  return stateOf(diagnosticEntities, keys, facts, before)
}

import type { Failure } from '../account/requests/request-history.ts'
import type { ErrorCode, KeyholderError } from '../service/error.ts'
import type { UnknownTypes } from './events/event-catalogue.ts'
import type { PolledWork } from './lease.ts'
import type { PollTargets } from './polling/pace.ts'
import type { PollCondition, Poller } from './polling/poller.ts'
import type { PollFigures } from './polling/subscribers.ts'
import type { EventDelay } from './situation.ts'
import { type Transports, unknownTransports } from './state/partition-state.ts'

/** The health of a panel, from known facts only: nothing is requested for it. */
export interface PanelHealth {
  /** True if the service reaches the panel; null until that is known. */
  online: boolean | null
  /** The ways of the panel to the service, as the latest status tells them. */
  transports: Transports
  /** The worst condition of the polls, `idle` while none has subscribers. */
  state: PollCondition['state'] | 'idle'
  /** The errors with which polls fail now. */
  failing: ErrorCode[]
  /** The first of these errors; absent while no poll fails. */
  failure?: KeyholderError
  /** True if the file that records how far events were delivered cannot be written. */
  cursorFails: boolean
  /** True if the panel does not have or use a partition that a node has chosen. */
  lacksPartition?: boolean
  /** False if the state has changed three times, and the service has shown no event about it; null while that is not known. */
  reportsArming: boolean | null
  /** True if another instance polls the panel, and its polls fail. */
  holderFails?: boolean
  /** True if the serial or the user code was rejected and is not tried again. */
  isRejected: boolean
  /** Undefined for a part without subscribers. */
  polls: Record<PolledWork, PollFigures | undefined>
  /** Milliseconds between two polls now; undefined for a panel that cannot be opened. */
  targets: PollTargets | undefined
  /** The delay of the service's list of events; null while it is not known. */
  eventDelay: EventDelay | null
  /** The latest failure of a poll or the cursor, kept after a recovery. */
  latestFailure: Failure | undefined
  unknown: UnknownTypes
}

/** The health of a panel that cannot be opened with its current settings. */
export const unopenedPanel: PanelHealth = {
  online: false,
  transports: unknownTransports,
  state: 'idle',
  failing: [],
  cursorFails: false,
  reportsArming: null,
  isRejected: false,
  polls: { state: undefined, events: undefined, devices: undefined },
  targets: undefined,
  eventDelay: null,
  latestFailure: undefined,
  unknown: { typeIds: [], deviceTypes: [], subtypes: [], warnings: [] },
}

type Observable = Pick<Poller<never>, 'condition' | 'figures' | 'hasListeners'>

const worstFirst = ['failing', 'stale', 'reading', 'fine', 'standby'] as const

/** Returns the part of a panel's health that comes from its pollers. */
export function pollHealth(
  watches: Record<PolledWork, Observable>,
): Pick<PanelHealth, 'state' | 'failing' | 'failure' | 'holderFails' | 'polls'> {
  const { state, events, devices } = watches
  const conditions = [state, events, devices]
    .filter(({ hasListeners }) => hasListeners)
    .map(({ condition }) => condition)
  const failures = conditions.flatMap((condition) => (condition.state === 'failing' ? [condition.error] : []))
  return {
    state: worstFirst.find((word) => conditions.some((condition) => condition.state === word)) ?? 'idle',
    failing: failures.map(({ code }) => code),
    ...(failures[0] && { failure: failures[0] }),
    holderFails: conditions.some((one) => one.state === 'standby' && one.holderFailure !== undefined),
    polls: { state: state.figures, events: events.figures, devices: devices.figures },
  }
}

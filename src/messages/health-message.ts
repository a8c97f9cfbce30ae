import type { AccountHealth } from '../account/account-health.ts'
import type { LicenseHealth } from '../account/license.ts'
import { type Failure, latestFailure } from '../account/requests/request-stats.ts'
import type { BudgetFigures } from '../account/service-user/rate-limit/rate-limiter.ts'
import type { AccountSource } from '../panel/account-queries.ts'
import type { UnknownTypes } from '../panel/catalogue/unknown-types.ts'
import type { PanelHealth, Polled } from '../panel/panel-health.ts'
import type { PollFigures } from '../panel/polling/subscribers.ts'
import type { ErrorCode } from '../service/error.ts'
import { errorDescriptions } from './error-descriptions.ts'
import { type HealthStatus, healthStatus } from './health-status.ts'
import type { Message } from './message.ts'

/** The known facts about the account at one moment, and about the panel if one is chosen. */
export interface HealthFacts {
  account: AccountHealth
  panel: PanelHealth | undefined
  /** The reason why the settings cannot be used; undefined if they can. */
  unusable: Failure | undefined
  /** Undefined for an account that is alone. */
  cluster: ClusterFacts | undefined
  versions: Versions
}

/** Facts about the cluster, as one instance knows them. */
export interface ClusterFacts {
  readonly state: 'connecting' | 'connected' | 'away'
  /** The names of this instance and of all live ones. */
  readonly instance: string
  readonly instances: readonly string[]
  readonly leases: { readonly wanted: number; readonly held: number; readonly passed: number }
  /** The latest failure of the shared state, kept after a recovery; undefined if there was none. */
  readonly latestFailure: Failure | undefined
}

/** The versions of the running software. */
export interface Versions {
  plugin: string
  nodeRed: string
  node: string
}

/** The statistics of the polls of one thing; all fields are null while it has no subscribers. */
export interface PollHealth {
  /** The end of the latest poll, successful or not: ISO 8601 in UTC. */
  lastAt: string | null
  /** The time of the service's latest answer: ISO 8601 in UTC. */
  lastOk: string | null
  /** Milliseconds since that answer. */
  ageMs: number | null
  /** Number of polls that failed in a row. */
  failures: number | null
}

/** The health of an account and a panel. It contains no names, so that it can be shown to anyone. */
export interface HealthPayload {
  status: HealthStatus
  account: {
    phase: AccountHealth['phase']
    /** The end of the backoff: ISO 8601 in UTC; null while there is none. */
    heldUntil: string | null
    /** Null while it is unknown, or if the account's url is a complete base address. */
    apiVersion: string | null
    /** Number of sign-ins of this process. */
    signIns: number
  }
  /** HTTP attempts. */
  budget: BudgetFigures
  /** Null before the first sign-in, and for an account without a license. */
  license: LicenseHealth | null
  /** Null if no panel is chosen. */
  panel: {
    online: boolean
    /**
     * The worst condition of the polls: failing, stale, reading, fine, standby (another process polls); idle while none
     * has subscribers.
     */
    state: PanelHealth['state']
    polls: Record<Polled, PollHealth>
  } | null
  /** Null for an account that is alone. */
  cluster: {
    /** `away`: the shared state does not answer. */
    state: ClusterFacts['state']
    /** The number of live instances. */
    instances: number
    /**
     * The panels that this instance wants to poll, those that it polls, and those that it has passed to another one
     * because its polls failed.
     */
    leases: { wanted: number; held: number; passed: number }
  } | null
  /** The latest failure, kept after a recovery; null if there was none. */
  lastError: { code: ErrorCode; message: string; at: string } | null
  versions: Versions
  /** Values from the service that this package does not know, for a bug report. */
  unknown: UnknownTypes
}

/** The health of an account, and of a panel if one is chosen; `panel` is null if none is chosen. */
export interface HealthMessage extends Omit<Message<HealthPayload>, 'panel'> {
  panel: Message<unknown>['panel'] | null
  /** The name of this instance; only in a cluster. */
  instance?: string
}

/** The source of a health message; `panel` is null if none is chosen. */
export type HealthSource = AccountSource

/** Builds the message about the health of an account or a panel, on the topic `<panel or account>/health`. */
export function healthMessage(
  { name, panel, fetchedAt, stale }: HealthSource,
  payload: HealthPayload,
  instance?: string,
): HealthMessage {
  const message = { topic: `${name}/health`, payload, panel: panel && { ...panel }, fetchedAt, stale }
  return instance === undefined ? message : { ...message, instance }
}

/** Returns the payload of a health message. */
export function healthPayload(facts: HealthFacts): HealthPayload {
  const { account, panel, unusable, cluster, versions } = facts
  const { phase, heldUntil, apiVersion, signIns, budget, license } = account
  const { limit, usedLastMinute, waiting } = budget
  const { typeIds, subtypes, warnings } = panel?.unknown ?? { typeIds: [], subtypes: [], warnings: [] }
  return {
    status: healthStatus(facts),
    account: { phase, heldUntil: isoTime(heldUntil), apiVersion: apiVersion ?? null, signIns },
    budget: { limit, usedLastMinute, waiting },
    license: structuredClone(license ?? null),
    panel: panel === undefined ? null : panelOf(panel),
    cluster: cluster === undefined ? null : clusterOf(cluster),
    lastError: lastErrorOf(
      unusable ?? latestFailure(account.latestFailure, panel?.latestFailure, cluster?.latestFailure),
    ),
    versions: { ...versions },
    unknown: { typeIds: [...typeIds], subtypes: [...subtypes], warnings: [...warnings] },
  }
}

function clusterOf({ state, instances, leases }: ClusterFacts): HealthPayload['cluster'] {
  const { wanted, held, passed } = leases
  return { state, instances: instances.length, leases: { wanted, held, passed } }
}

function panelOf({ online, state, polls }: PanelHealth): HealthPayload['panel'] {
  const { state: ofState, events, devices } = polls
  return {
    online,
    state,
    polls: { state: pollsOf(ofState), events: pollsOf(events), devices: pollsOf(devices) },
  }
}

function pollsOf(figures: PollFigures | undefined): PollHealth {
  if (figures === undefined) return { lastAt: null, lastOk: null, ageMs: null, failures: null }
  const { lastAt, lastOk, ageMs, failures } = figures
  return { lastAt: isoTime(lastAt), lastOk: isoTime(lastOk), ageMs, failures }
}

function lastErrorOf(failure: Failure | undefined): HealthPayload['lastError'] {
  if (failure === undefined) return null
  const { code, failedAt } = failure
  return { code, message: errorDescriptions[code], at: new Date(failedAt).toISOString() }
}

function isoTime(milliseconds: number | null | undefined): string | null {
  return milliseconds == null ? null : new Date(milliseconds).toISOString()
}

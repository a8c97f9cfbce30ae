import type { AccountHealth } from '../account/account-health.ts'
import type { LicenseHealth } from '../account/license.ts'
import { type Failure, latestFailure } from '../account/requests/request-history.ts'
import type { BudgetFigures } from '../account/service-user/rate-limit/budget.ts'
import type { AccountSource } from '../panel/account-queries.ts'
import type { UnknownTypes } from '../panel/events/event-catalogue.ts'
import type { PolledWork } from '../panel/lease.ts'
import { type PanelHealth, unopenedPanel } from '../panel/panel-health.ts'
import type { PollFigures } from '../panel/polling/subscribers.ts'
import type { EventDelay } from '../panel/situation.ts'
import type { Transports } from '../panel/state/partition-state.ts'
import { type ErrorCode, errorCodeRows } from '../service/error-codes.ts'
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

/** The age that the data of one part reaches; all fields are null while it has no subscribers. */
interface Freshness {
  /** Milliseconds between two polls, as they should be now. */
  targetMs: number | null
  /** Milliseconds that the latest 50 answers had got old when the next one came; null before a second one has come. */
  medianMs: number | null
  p95Ms: number | null
}

/** The freshness of the parts of a panel; that of the events also has the milliseconds after which the service lists one. */
interface PanelFreshness extends Record<'state' | 'devices', Freshness> {
  events: Freshness & { serviceMs: EventDelay | null }
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
    online: boolean | null
    transports: Transports
    /**
     * The worst condition of the polls: failing, stale, reading, fine, standby (another process polls); idle while none
     * has subscribers.
     */
    state: PanelHealth['state']
    /**
     * False if the state has changed three times, and the service has shown no event about it: the installer has turned these
     * reports off. Null while it is not known.
     */
    reportsArming: boolean | null
    polls: Record<PolledWork, PollHealth>
  } | null
  /** Null if no panel is chosen. */
  freshness: PanelFreshness | null
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
  panel: (Message<unknown>['panel'] & { transports?: Transports }) | null
  /** The name of this instance; only in a cluster. */
  instance?: string
}

/** Builds the message about the health of an account or a panel, on the topic `<panel or account>/health`. */
export function healthMessage(
  { name, panel, fetchedAt, stale }: AccountSource,
  payload: HealthPayload,
  instance?: string,
): HealthMessage {
  const transports = payload.panel && { transports: { ...payload.panel.transports } }
  const about = panel && { ...panel, ...transports }
  const message = { topic: `${name}/health`, payload, panel: about, fetchedAt, stale }
  return instance === undefined ? message : { ...message, instance }
}

/** Returns the payload of a health message. */
export function healthPayload(facts: HealthFacts): HealthPayload {
  const { account, panel, cluster, versions } = facts
  const { phase, heldUntil, apiVersion, signIns, budget, license } = account
  const { limit, usedLastMinute, waiting, wanted, usedToday } = budget
  return {
    status: healthStatus(facts),
    account: { phase, heldUntil: isoTime(heldUntil), apiVersion: apiVersion ?? null, signIns },
    budget: { limit, usedLastMinute, waiting, wanted, usedToday },
    license: structuredClone(license ?? null),
    panel: panel === undefined ? null : panelOf(panel),
    freshness: panel === undefined ? null : freshnessOf(panel),
    cluster: cluster === undefined ? null : clusterOf(cluster),
    lastError: lastErrorOf(lastFailureOf(facts)),
    versions: { ...versions },
    unknown: structuredClone((panel ?? unopenedPanel).unknown),
  }
}

function clusterOf({ state, instances, leases }: ClusterFacts): HealthPayload['cluster'] {
  const { wanted, held, passed } = leases
  return { state, instances: instances.length, leases: { wanted, held, passed } }
}

function panelOf({ online, transports, state, reportsArming, polls }: PanelHealth): HealthPayload['panel'] {
  const { state: ofState, events, devices } = polls
  return {
    online,
    transports: { ...transports },
    state,
    reportsArming,
    polls: { state: pollsOf(ofState), events: pollsOf(events), devices: pollsOf(devices) },
  }
}

function pollsOf(figures: PollFigures | undefined): PollHealth {
  if (figures === undefined) return { lastAt: null, lastOk: null, ageMs: null, failures: null }
  const { lastAt, lastOk, ageMs, failures } = figures
  return { lastAt: isoTime(lastAt), lastOk: isoTime(lastOk), ageMs, failures }
}

function freshnessOf({ polls, targets, eventDelay }: PanelHealth): PanelFreshness {
  const of = (part: PolledWork): Freshness => {
    const { ages } = polls[part] ?? {}
    if (ages === undefined) return { targetMs: null, medianMs: null, p95Ms: null }
    const sorted = [...ages].sort((one, other) => one - other)
    const at = (share: number) => rounded(sorted[Math.floor(share * sorted.length)])
    return { targetMs: rounded(targets?.[part]), medianMs: at(0.5), p95Ms: at(0.95) }
  }
  const serviceMs = eventDelay && { ...eventDelay }
  return { state: of('state'), events: { ...of('events'), serviceMs }, devices: of('devices') }
}

function rounded(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : Math.round(milliseconds)
}

function lastFailureOf({ account, panel, unusable, cluster }: HealthFacts): Failure | undefined {
  return unusable ?? latestFailure(account.latestFailure, panel?.latestFailure, cluster?.latestFailure)
}

function lastErrorOf(failure: Failure | undefined): HealthPayload['lastError'] {
  if (failure === undefined) return null
  const { code, failedAt } = failure
  return { code, message: errorCodeRows[code].sentence, at: new Date(failedAt).toISOString() }
}

function isoTime(milliseconds: number | null | undefined): string | null {
  return milliseconds == null ? null : new Date(milliseconds).toISOString()
}

/** The parts of the health whose change is reported; counters and ages are not reported. */
interface HealthSummary {
  status: HealthPayload['status']
  phase: HealthPayload['account']['phase']
  code: ErrorCode | null
  /** Null also while the license is valid. */
  license: string | null
}

/**
 * Decides whether the health has changed since it was last sent to a flow. It needs no payload for that.
 *
 * A change must be seen twice in a row. Signing in is not a change, so an ordinary expiry with its short
 * sign-in is not reported. As long as nothing was sent, the health is compared with that of an unused
 * account: so the first sign-in is reported once, and a problem that exists at the start is reported too.
 */
export class HealthChange {
  #reported: HealthSummary = { status: 'ok', phase: 'signed-out', code: null, license: null }
  #seen = ''

  /** Notes that this health was sent, for whatever reason. */
  note(facts: HealthFacts): void {
    this.#reported = this.#summaryOf(facts)
  }

  /** Checks the current health and returns true if it should be sent now. */
  isDue(facts: HealthFacts): boolean {
    const summary = this.#summaryOf(facts)
    const seen = JSON.stringify(summary)
    const isSteady = seen === this.#seen
    this.#seen = seen
    return isSteady && seen !== JSON.stringify(this.#reported)
  }

  #summaryOf(facts: HealthFacts): HealthSummary {
    const { phase: current, license } = facts.account
    const phase = current === 'signing-in' ? this.#reported.phase : current
    const validity = license?.validity ?? 'valid'
    const code = lastFailureOf(facts)?.code ?? null
    return { status: healthStatus(facts), phase, code, license: validity === 'valid' ? null : validity }
  }
}

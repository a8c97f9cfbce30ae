import type { AccountHealth } from '../account/account-health.ts'
import type { BudgetFigures } from '../account/budget.ts'
import { type Failure, latestFailure } from '../account/failure.ts'
import type { PanelHealth, Polled } from '../panel/panel-health.ts'
import type { PollFigures } from '../panel/poll-record.ts'
import type { Unknown } from '../panel/unknown-words.ts'
import type { ErrorCode } from '../service/error.ts'
import { healthSentences } from './health-sentences.ts'
import { type HealthStatus, healthStatus } from './health-status.ts'
import type { Message, Source } from './source.ts'

/** What is known at one moment of the account, and of the panel where one is chosen. */
export interface HealthFacts {
  account: AccountHealth
  panel: PanelHealth | undefined
  /** Why what is set cannot be used; nothing where it can. */
  unusable: Failure | undefined
  versions: Versions
}

/** What runs. */
export interface Versions {
  plugin: string
  nodeRed: string
  node: string
}

/** How the polls of one thing go; all of it is null while nobody listens to it. */
export interface PollHealth {
  /** When the latest poll ended, well or badly: ISO 8601 in UTC. */
  lastAt: string | null
  /** When the service gave the latest answer: ISO 8601 in UTC. */
  lastOk: string | null
  /** Milliseconds since that answer. */
  ageMs: number | null
  /** How many polls in a row failed. */
  failures: number | null
}

/** The health of an account and a panel; it names nobody and nothing, so that it may be shown to anybody. */
export interface HealthPayload {
  status: HealthStatus
  account: {
    phase: AccountHealth['phase']
    /** ISO 8601 in UTC; null while there is no hold. */
    heldUntil: string | null
    /** Null while it is not known, or the account's url is a whole base address. */
    apiVersion: string | null
    /** How often this process signed in. */
    signIns: number
  }
  /** HTTP attempts. */
  budget: BudgetFigures
  /** Null where no panel is chosen. */
  panel: {
    online: boolean
    /** Where the polls stand, the worst of them: failing, stale, reading, fine; idle while nobody listens to any. */
    state: PanelHealth['state']
    polls: Record<Polled, PollHealth>
  } | null
  /** The latest failure, also when all is well again; null where there was none. */
  lastError: { code: ErrorCode; message: string; at: string } | null
  versions: Versions
  /** What the service said that this package does not know, for a bug report. */
  unknown: Unknown
}

/** The health of an account, and of a panel where one is chosen; without one there is no `panel` to be of. */
export interface HealthMessage extends Omit<Message<HealthPayload>, 'panel'> {
  panel: Message<unknown>['panel'] | null
}

/** Where a health message comes from; `panel` is null where none is chosen. */
export interface HealthSource extends Omit<Source, 'panel'> {
  panel: Source['panel'] | null
}

/** The message about the health of an account or a panel, on the topic `<panel or account>/health`. */
export function healthMessage(
  { name, panel, fetchedAt, stale }: HealthSource,
  payload: HealthPayload,
): HealthMessage {
  return { topic: `${name}/health`, payload, panel: panel && { ...panel }, fetchedAt, stale }
}

/** The payload of a health message. */
export function healthPayload(facts: HealthFacts): HealthPayload {
  const { account, panel, unusable, versions } = facts
  const { phase, heldUntil, apiVersion, signIns, budget } = account
  const { limit, usedLastMinute, waiting } = budget
  const { typeIds, subtypes, warnings } = panel?.unknown ?? { typeIds: [], subtypes: [], warnings: [] }
  return {
    status: healthStatus(facts),
    account: { phase, heldUntil: isoTime(heldUntil), apiVersion: apiVersion ?? null, signIns },
    budget: { limit, usedLastMinute, waiting },
    panel: panel === undefined ? null : panelOf(panel),
    lastError: told(unusable ?? latestFailure(account.latestFailure, panel?.latestFailure)),
    versions: { ...versions },
    unknown: { typeIds: [...typeIds], subtypes: [...subtypes], warnings: [...warnings] },
  }
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

function told(failure: Failure | undefined): HealthPayload['lastError'] {
  if (failure === undefined) return null
  const { code, failedAt } = failure
  return { code, message: healthSentences[code], at: new Date(failedAt).toISOString() }
}

function isoTime(milliseconds: number | null | undefined): string | null {
  return milliseconds == null ? null : new Date(milliseconds).toISOString()
}

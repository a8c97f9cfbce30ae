import type { Account } from '../account/account.ts'
import type { PastRequest } from '../account/requests/request-history.ts'
import type { AskedName, Recorded } from '../panel/diagnostics/recording.ts'
import { isVersion, redact } from '../panel/diagnostics/redaction.ts'
import { type Difference, differences } from '../panel/diagnostics/shape-differences.ts'
import type { PanelHealth } from '../panel/panel-health.ts'
import type { ErrorCode } from '../service/error.ts'
import { errorTable } from '../service/error-table.ts'
import { isLocale } from '../service/locale.ts'
import { readable } from '../service/operations.ts'
import type { JsonValue } from '../service/schema.ts'
import { type HealthPayload, healthPayload, type Versions } from './health-message.ts'

/** The form of the file. `keyholder-simulator --replay` reads it. */
const diagnosticsFormat = 'keyholder-diagnostics-1'

/** A file that a panel's user can send to a maintainer. Nothing in it is private. */
export interface DiagnosticsFile {
  format: typeof diagnosticsFormat
  /** ISO 8601 in UTC. */
  recordedAt: string
  /** A description of the file, for the person who reads it before sending. */
  about: string
  versions: Versions
  account: { type: Account['settings']['api']; apiVersion: string | null; locale: string | null }
  /** The stand-in of the panel's serial number, as in the answers. */
  serial: JsonValue
  health: HealthPayload
  /** The answers by operation, with stand-ins, and the errors of those that failed. */
  answers: Record<string, { answer: JsonValue } | { error: RecordedError }>
  /** The differences of the answers from what this package knows, by operation. */
  differences: Record<string, Difference[]>
  requests: readonly PastRequest[]
}

/** An error without its sentence, which can name the panel. */
interface RecordedError {
  code: ErrorCode
  status: number | null
  /** The service's word for the reason; null if it is not known. */
  reason: string | null
}

/** All that a diagnostics file is made of. */
interface DiagnosticsFacts {
  /** Milliseconds since 1970. */
  now: number
  versions: Versions
  account: Pick<Account, 'settings' | 'health' | 'history'>
  /** Undefined if the panel is not deployed. */
  panelHealth: PanelHealth | undefined
  serial: string
  recording: ReadonlyMap<AskedName, Recorded>
}

/** The description of what a file for a maintainer holds. */
export const about =
  'Names, serial numbers, phone numbers, addresses, codes, tokens and all other unknown texts are replaced by ' +
  'text-1, text-2 and so on, large and unknown numbers by numbers above 1000000. Times are real.'

/** Makes the file from private facts. */
export function diagnosticsFile(facts: DiagnosticsFacts): DiagnosticsFile {
  const { now, versions, account, panelHealth, serial, recording } = facts
  const { api, locale } = account.settings
  const known = { account: account.health, panel: panelHealth, versions }
  const health = healthPayload({ ...known, unusable: undefined, cluster: undefined })
  const names = [...recording.keys()]
  const plain = names.map((name) => answerOf(recording.get(name)))
  const { deviceTypes, subtypes, warnings, typeIds } = health.unknown
  const unknown = { device_type: deviceTypes, subtype: subtypes, type: warnings, type_id: typeIds }
  // All at once, so that the same secret has the same stand-in everywhere.
  const [own, unknownWords, ...redacted] = redact([{ serial }, unknown, ...plain])
  const answers = names.map((name, at) => {
    const recorded = recording.get(name)
    return [name, recorded && 'error' in recorded ? errorOf(recorded) : { answer: redacted[at] ?? null }]
  })
  const apiVersion = shortVersion(health.account.apiVersion)
  return {
    format: diagnosticsFormat,
    recordedAt: new Date(now).toISOString(),
    about,
    versions,
    account: { type: api, apiVersion, locale: isLocale(locale) ? locale : null },
    serial: (own as { serial: JsonValue }).serial,
    health: {
      ...health,
      account: { ...health.account, apiVersion },
      unknown: unknownOf(unknownWords as unknown as typeof unknown),
    },
    answers: Object.fromEntries(answers),
    differences: Object.fromEntries(
      names.flatMap((name, at) => differencesOf(name, redacted[at], recording.get(name))),
    ),
    requests: account.history.latest,
  }
}

function answerOf(recorded: Recorded | undefined): JsonValue {
  return recorded && 'answer' in recorded ? recorded.answer : null
}

function unknownOf({
  device_type,
  subtype,
  type,
  type_id,
}: Record<'device_type' | 'subtype' | 'type', string[]> & { type_id: number[] }): HealthPayload['unknown'] {
  return { typeIds: type_id, deviceTypes: device_type, subtypes: subtype, warnings: type }
}

const reasons: ReadonlySet<string | number> = new Set(errorTable.flatMap((row) => row.reasons ?? []))

function errorOf({ error }: { error: { code: ErrorCode; status?: number; reason?: string } }) {
  const { code, status = null, reason } = error
  const isKnown = reason !== undefined && reasons.has(reason)
  return { error: { code, status, reason: isKnown ? reason : null } }
}

function differencesOf(
  name: AskedName,
  answer: JsonValue | undefined,
  recorded: Recorded | undefined,
): [string, Difference[]][] {
  // The check of the session needs its token, which is not here.
  if (name === 'session' || answer === undefined || recorded === undefined || 'error' in recorded) return []
  return [[name, differences(answer, readable[name].check)]]
}

/** A version such as 14.0. The service could send anything. */
export function shortVersion(version: string | null): string | null {
  return version !== null && isVersion(version) ? version : null
}

import type { Account } from '../../account/account.ts'
import type { PanelKey } from '../../account/requests/request.ts'
import { asKeyholderError, hasCode, KeyholderError, unreachableCodes } from '../../service/error.ts'
import { asReceived, type QueryableName, readable } from '../../service/operations.ts'
import { type JsonValue, parse } from '../../service/schema.ts'

/** The name of something that is asked: an operation, or the answer to the sign-in. */
export type AskedName = QueryableName | 'session'

/** An answer as the service sent it, or the reason why there is none. Private: show it to nobody. */
export type Recorded = { answer: JsonValue } | { error: KeyholderError }

/** The progress of a recording: the operation that is asked next. */
interface RecordingStep {
  operation: AskedName
  number: number
  of: number
}

/** In this order: the sign-in first, then the panels, whose list shows a wrong serial number. */
const asked: readonly AskedName[] = ['session', ...(Object.keys(readable) as QueryableName[])]

/**
 * Asks every operation that only reads, once and one after the other, through the limits of the account. An
 * operation that fails is part of the recording. After a failed sign-in, or two requests in a row without any answer,
 * nothing more is asked.
 * @returns the answers by operation
 * @throws KeyholderError BAD_SETTING if the account has no panel with this serial, CLOSED when the signal aborts
 */
export async function* recordAnswers(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): AsyncGenerator<RecordingStep, Map<AskedName, Recorded>> {
  const recording = new Map<AskedName, Recorded>()
  let unreached = 0
  for (const [at, operation] of asked.entries()) {
    yield { operation, number: at + 1, of: asked.length }
    const recorded = await ask(account, panel, operation, signal)
    recording.set(operation, recorded)
    if ('error' in recorded) {
      if (hasCode(recorded.error, 'CLOSED')) throw recorded.error
      unreached = hasCode(recorded.error, ...unreachableCodes) ? unreached + 1 : 0
      if (operation === 'session' || unreached === 2) break
    } else {
      unreached = 0
      // Otherwise a wrong serial would be sent with the sign-in to the panel.
      if (operation === 'panels') refuseUnlisted(recorded.answer, panel.serial)
    }
  }
  return recording
}

async function ask(
  account: Account,
  panel: PanelKey,
  operation: AskedName,
  signal: AbortSignal,
): Promise<Recorded> {
  try {
    if (operation === 'session') return { answer: (await account.session()).value }
    const { locale } = account.settings
    const request = { panel, locale, lane: 'urgent', maxAge: 0, signal } as const
    return { answer: (await account.sendRead(asReceived(readable[operation]), request)).value }
  } catch (thrown) {
    return { error: asKeyholderError(thrown) }
  }
}

function refuseUnlisted(answer: JsonValue, serial: string): void {
  const listed = parse(readable.panels.check, answer)?.value ?? []
  if (listed.length === 0 || listed.some(({ panel_serial }) => panel_serial === serial)) return
  throw new KeyholderError(
    'BAD_SETTING',
    `Serial number: the account has no panel "${serial}". Select one with "Choose…".`,
    {},
    { text: 'finding.serialUnknown' },
  )
}

import { onAbort } from '../clock.ts'
import { day } from '../duration.ts'
import {
  asKeyholderError,
  closedError,
  type DialogError,
  dialogError,
  hasCode,
  KeyholderError,
  unreachableCodes,
} from '../service/error.ts'
import { operations } from '../service/operations.ts'
import type { AccountPanel } from '../service/responses/panels.ts'
import type { Account } from './account.ts'
import { defaultLocale } from './account-settings.ts'
import type { PanelKey } from './requests/request.ts'

/** The steps of the check, in this order. */
export type Step = 'settings' | 'host' | 'version' | 'signIn' | 'panels' | 'language' | 'userCode' | 'reports'

/** A panel that the user can select. */
interface ListedPanel {
  serial: string
  alias: string
  role: string
  model: string
}

/** The result of a step. It may be shown to the person who typed the settings. */
export interface Facts {
  host?: string
  version?: string
  panels?: ListedPanel[]
}

/** One line of the connection check. The first failed step is the last line. */
export type Finding =
  | { step: Step; state: 'running' }
  | ({ step: Step; state: 'done' } & Facts)
  | ({ step: Step; state: 'failed' } & DialogError)

interface Examination {
  step: Step
  /** Returns undefined if the step shows nothing. */
  work(): Promise<Facts | undefined>
}

/**
 * Checks an account step by step: host, version, sign-in, panels, language.
 * @param signal aborts the check when its caller leaves. The answer to a sign-in that was sent is still
 * read, so that a rejection is remembered
 * @param withLanguage false to end with the panels
 */
export function checkConnection(
  account: Account,
  signal: AbortSignal,
  { withLanguage = true }: { withLanguage?: boolean } = {},
): AsyncGenerator<Finding> {
  const work = async () => {
    const { value } = await account.sendRead(operations.panels, { lane: 'urgent', maxAge: 0, signal })
    if (value.length === 0) throw noPanel()
    return { panels: value.map(listed) }
  }
  const language = withLanguage ? languageStep(account, signal) : []
  return findings(account, [{ step: 'panels', work }, ...language], signal)
}

/** Checks a panel's serial and user code in the same way. A rejected code is not sent again. */
export function checkUserCode(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const work = () => account.openPanel(panel).then(() => ({}))
  return findings(account, [{ step: 'userCode', work }], signal)
}

async function* findings(
  account: Account,
  furtherSteps: readonly Examination[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { host } = new URL(account.settings.url)
  const repliesBefore = account.replies
  let isReached = false
  yield { step: 'host', state: 'running' }
  try {
    await account.refuseDuringBackoff()
  } catch (thrown) {
    // The sign-in has to wait, and no request is sent before it.
    return yield failed('signIn', asKeyholderError(thrown))
  }
  for (const { step, work } of [...checkSteps(account), ...furtherSteps]) {
    if (isReached) yield { step, state: 'running' }
    if (signal.aborted) return
    const outcome = await unlessAborted(work(), signal).catch(asKeyholderError)
    if (signal.aborted) return
    if (!isReached && account.replies > repliesBefore) {
      isReached = true
      yield { step: 'host', state: 'done', host }
    }
    if (outcome instanceof KeyholderError) {
      return yield failed(isReached ? step : unsentStep(step, outcome), outcome)
    }
    if (outcome !== undefined) yield { step, state: 'done', ...outcome }
  }
}

/** Returns the step at which a check has failed before an answer arrived. */
function unsentStep(step: Step, error: KeyholderError): Step {
  if (hasCode(error, ...unreachableCodes)) return 'host'
  return hasCode(error, 'NOT_CONFIGURED', 'BAD_SETTING') ? 'settings' : step
}

function failed(step: Step, error: KeyholderError): Finding {
  return { step, state: 'failed', ...dialogError(error) }
}

function checkSteps(account: Account): Examination[] {
  const { urlIsBase, apiVersion } = account.settings
  const signIn: Examination = { step: 'signIn', work: () => account.session().then(() => ({})) }
  // A configured version is not requested: below a complete base address, nothing may answer such a request.
  if (urlIsBase || apiVersion !== '') return [signIn]
  const work = () => account.negotiate().then((version) => ({ version }))
  return [{ step: 'version', work }, signIn]
}

/** Returns the step that shows if the service has the language of the account; none for the default language. */
function languageStep(account: Account, signal: AbortSignal): Examination[] {
  const { locale } = account.settings
  if (locale === defaultLocale) return []
  const work = async () => {
    try {
      // The answer is that of the event nodes, so it may be as old as theirs.
      await account.sendRead(operations.eventProfiles, { lane: 'urgent', maxAge: day, locale, signal })
      return {}
    } catch (thrown) {
      // Only this code is about the language. Without a list of event types, a service works too.
      if (hasCode(thrown, 'BAD_SETTING')) throw thrown
      return undefined
    }
  }
  return [{ step: 'language', work }]
}

function listed({ panel_serial, alias, role, panel_model, type }: AccountPanel): ListedPanel {
  return { serial: panel_serial, alias, role, model: panel_model || type }
}

function noPanel(): KeyholderError {
  return new KeyholderError(
    'NOT_FOUND',
    'The sign-in works, but the account has no panel. Add the panel in the alarm app, then try again.',
    {},
    { text: 'finding.noPanel' },
  )
}

/** Returns the result of the work, or throws CLOSED as soon as its caller leaves. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = () => {}
  const leaving = new Promise<never>((_, reject) => {
    leave = onAbort(signal, () => reject(closedError()))
  })
  try {
    return await Promise.race([work, leaving])
  } finally {
    leave()
  }
}

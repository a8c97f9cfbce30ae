import {
  asKeyholderError,
  closedError,
  type ErrorCode,
  hasCode,
  KeyholderError,
  unreachableCodes,
} from '../service/error.ts'
import { operations } from '../service/operations.ts'
import type { AccountPanel } from '../service/responses/panels.ts'
import type { Account } from './account.ts'
import type { PanelKey } from './request.ts'

/** The steps of the check, in this order. */
export type Step = 'settings' | 'host' | 'version' | 'signIn' | 'panels' | 'userCode'

/** A panel that the user can select. */
export interface ListedPanel {
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
  | { step: Step; state: 'failed'; code: ErrorCode; message: string }

interface Examination {
  step: Step
  /** True if the step sends a request, so that its answer proves that the host is reachable. */
  sendsRequest: boolean
  work(): Promise<Facts>
}

/**
 * Checks an account step by step: host, version, sign-in, panels.
 * @param signal aborts the check when its caller leaves. The answer to a sign-in that was sent is still
 * read, so that a rejection is remembered
 */
export function checkConnection(account: Account, signal: AbortSignal): AsyncGenerator<Finding> {
  const work = async () => {
    const { value } = await account.sendRead(operations.panels, { lane: 'urgent', maxAge: 0, signal })
    if (value.length === 0) throw noPanel()
    return { panels: value.map(listed) }
  }
  return findings(account, { step: 'panels', sendsRequest: true, work }, signal)
}

/** Checks a panel's serial and user code in the same way. A rejected code is not sent again. */
export function checkUserCode(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const work = () => account.openPanel(panel).then(() => ({}))
  return findings(account, { step: 'userCode', sendsRequest: !account.hasRejected(panel), work }, signal)
}

function failed(step: Step, thrown: unknown): Finding {
  const { code, message } = asKeyholderError(thrown)
  return { step, state: 'failed', code, message }
}

async function* findings(account: Account, last: Examination, signal: AbortSignal): AsyncGenerator<Finding> {
  const { host } = new URL(account.settings.url)
  let isReached = false
  yield { step: 'host', state: 'running' }
  try {
    await account.refuseDuringBackoff()
  } catch (thrown) {
    // The sign-in has to wait, and no request is sent before it.
    return yield failed('signIn', thrown)
  }
  for (const { step, sendsRequest, work } of [...checkSteps(account), last]) {
    if (isReached) yield { step, state: 'running' }
    if (signal.aborted) return
    const outcome = await unlessAborted(work(), signal).catch(asKeyholderError)
    if (signal.aborted) return
    if (!isReached && sendsRequest) {
      if (hasCode(outcome, ...unreachableCodes)) return yield failed('host', outcome)
      isReached = true
      yield { step: 'host', state: 'done', host }
    }
    if (outcome instanceof KeyholderError) return yield failed(step, outcome)
    yield { step, state: 'done', ...outcome }
  }
}

function checkSteps(account: Account): Examination[] {
  const { urlIsBase, apiVersion } = account.settings
  const signIn: Examination = {
    step: 'signIn',
    sendsRequest: account.phase === 'signed-out' || account.phase === 'signing-in',
    work: () => account.session().then(() => ({})),
  }
  // A configured version is not requested: below a complete base address, nothing may answer such a request.
  if (urlIsBase || apiVersion !== '') return [signIn]
  const work = () => account.negotiate().then((version) => ({ version }))
  return [{ step: 'version', sendsRequest: true, work }, signIn]
}

function listed({ panel_serial, alias, role, panel_model, type }: AccountPanel): ListedPanel {
  return { serial: panel_serial, alias, role, model: panel_model || type }
}

function noPanel(): KeyholderError {
  return new KeyholderError(
    'NOT_FOUND',
    'The sign-in works, but the account has no panel. Add the panel in the alarm app, then try again.',
  )
}

/** Returns the result of the work, or throws CLOSED as soon as its caller leaves. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {}
  const leaving = new Promise<never>((_, reject) => {
    onAbort = () => reject(closedError())
  })
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, leaving])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

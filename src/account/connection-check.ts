import { asKeyholderError, type ErrorCode, KeyholderError } from '../service/error.ts'
import { hasCode, outOfReach } from '../service/error-code.ts'
import { operations } from '../service/operations.ts'
import type { AccountPanel } from '../service/panels.ts'
import type { Account } from './account.ts'
import type { PanelKey } from './sign-in.ts'

/** What is looked at, in this order. */
export type Step = 'settings' | 'host' | 'version' | 'signIn' | 'panels' | 'userCode'

/** A panel to choose from. */
export interface ListedPanel {
  serial: string
  alias: string
  role: string
  model: string
}

/** What a step came to, in words that may be shown to whoever typed the settings. */
export interface Facts {
  host?: string
  version?: string
  panels?: ListedPanel[]
}

/** One line of a check-up. The first step that failed is the last line. */
export type Finding =
  | { step: Step; state: 'running' }
  | ({ step: Step; state: 'done' } & Facts)
  | { step: Step; state: 'failed'; code: ErrorCode; message: string }

interface Examination {
  step: Step
  /** Whether the service is asked for it, so that its answer proves that the host is reached. */
  asks: boolean
  work(): Promise<Facts>
}

/**
 * Checks an account step by step: host, version, sign-in, panels.
 * @param signal whoever looks on goes away; a sign-in that was sent is still heard out, so that a rejection is known
 */
export function checkUp(account: Account, signal: AbortSignal): AsyncGenerator<Finding> {
  const work = async () => {
    const { value } = await account.ask(operations.panels, { lane: 'urgent', maxAge: 0, signal })
    if (value.length === 0) throw noPanel()
    return { panels: value.map(listed) }
  }
  return findings(account, { step: 'panels', asks: true, work }, signal)
}

/** Checks a panel's serial and user code in the same way; a code that was rejected is not sent again. */
export function checkUserCode(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const work = () => account.openPanel(panel).then(() => ({}))
  return findings(account, { step: 'userCode', asks: !account.hasRejected(panel), work }, signal)
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
    await account.refuseWhileHeld()
  } catch (thrown) {
    // It is the sign-in that waits, and nothing is asked before.
    return yield failed('signIn', thrown)
  }
  for (const { step, asks, work } of [...examinations(account), last]) {
    if (isReached) yield { step, state: 'running' }
    if (signal.aborted) return
    const outcome = await unlessGone(work(), signal).catch(asKeyholderError)
    if (signal.aborted) return
    if (!isReached && asks) {
      if (hasCode(outcome, ...outOfReach)) return yield failed('host', outcome)
      isReached = true
      yield { step: 'host', state: 'done', host }
    }
    if (outcome instanceof KeyholderError) return yield failed(step, outcome)
    yield { step, state: 'done', ...outcome }
  }
}

function examinations(account: Account): Examination[] {
  const { urlIsBase, apiVersion } = account.settings
  const signIn: Examination = {
    step: 'signIn',
    asks: account.phase === 'signed-out' || account.phase === 'signing-in',
    work: () => account.session().then(() => ({})),
  }
  // A version that is set is not asked for: below a whole base address there may be nothing to answer that.
  if (urlIsBase || apiVersion !== '') return [signIn]
  const work = () => account.negotiate().then((version) => ({ version }))
  return [{ step: 'version', asks: true, work }, signIn]
}

function listed({ panel_serial, alias, role, panel_model, type }: AccountPanel): ListedPanel {
  return { serial: panel_serial, alias, role, model: panel_model || type }
}

function noPanel(): KeyholderError {
  return new KeyholderError(
    'NOT_FOUND',
    "The sign-in works, but this account has no panel. Add the panel in the provider's app first.",
  )
}

/** What comes of the work, or CLOSED as soon as nobody waits for it. */
async function unlessGone<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let gone = () => {}
  const leaving = new Promise<never>((_, reject) => {
    gone = () => reject(new KeyholderError('CLOSED', 'Nobody waits for the check any more.'))
  })
  signal.addEventListener('abort', gone)
  if (signal.aborted) gone()
  try {
    return await Promise.race([work, leaving])
  } finally {
    signal.removeEventListener('abort', gone)
  }
}

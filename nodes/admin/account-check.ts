import type { NodeAPI } from 'node-red'
import { checkConnection, checkUserCode } from '../../src/account/connection-check.ts'
import { dialogError, KeyholderError } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import { configNode, type OpenAccount } from '../config/config-nodes.ts'
import { endDemo, isDemo } from '../config/demo.ts'
import { openAccount } from '../config/open-account.ts'
import { ofAccount } from '../config/stored-for.ts'
import { checkStream } from './check-stream.ts'
import { type FormAnswer, formOf } from './form-route.ts'
import { credentialsFilledIn, panelOf, resolveStored, useOf } from './form-values.ts'

/** Number of running checks that use the demo, by the id of the account. */
const demoTrials = new Map<string, number>()

/**
 * Checks the sign-in of an account dialog; works before the first deploy too. With the goal `panels`, it only lists
 * the panels, for the dialog of a panel.
 */
export function accountCheck(RED: NodeAPI): FormAnswer {
  return checkStream((id, { goal, ...form }, signal) =>
    withTrialAccount(RED, id, form, ({ account }) =>
      checkConnection(account, signal, { withLanguage: goal !== 'panels' }),
    ),
  )
}

/**
 * Opens an account with the values of a form for as long as `use` runs.
 * @throws KeyholderError if a value is invalid
 */
export async function* withTrialAccount<T>(
  RED: NodeAPI,
  id: string,
  form: RawSettings,
  use: (opened: OpenAccount) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const ofDemo = isDemo(form)
  if (ofDemo) demoTrials.set(id, (demoTrials.get(id) ?? 0) + 1)
  let opened: OpenAccount | undefined
  try {
    const raw = ofDemo ? { source: form.source, name: form.name } : await accountForm(RED, id, form)
    opened = await openAccount(RED, id, raw, { mode: 'trial', log: RED.log, onNotice: () => {} })
    yield* use(opened)
  } finally {
    await opened?.release()
    if (ofDemo) await leaveDemo(RED, id)
  }
}

async function accountForm(RED: NodeAPI, id: string, form: RawSettings): Promise<RawSettings> {
  const node = configNode(RED, 'keyholder-account', id)
  const { email, password, ...rest } = form
  const settings = resolveStored(rest, node?.deployed)
  const use = () => useOf(RED, node, ofAccount, settings)
  return { ...settings, ...(await credentialsFilledIn({ email, password }, use)) }
}

/** Ends the demo after its last check, unless the deployed account uses it. */
async function leaveDemo(RED: NodeAPI, id: string): Promise<void> {
  const left = (demoTrials.get(id) ?? 1) - 1
  if (left > 0) demoTrials.set(id, left)
  else demoTrials.delete(id)
  const { deployed = {} } = configNode(RED, 'keyholder-account', id) ?? {}
  if (left === 0 && !isDemo(deployed)) await endDemo(id)
}

/** Returns true if the deployed panel was seen to change its state without an event. */
async function reportsNoArming(RED: NodeAPI, id: string): Promise<boolean> {
  const node = configNode(RED, 'keyholder-panel', id)
  // A panel that no node uses is not read, so nothing is known of it.
  if (node === undefined || node.flowNodes().length === 0) return false
  const panel = await node.open().catch(() => undefined)
  return panel?.health.reportsArming === false
}

function armingUnreported(): KeyholderError {
  const sentence =
    'The state of the panel has changed three times, and the service has shown no event about it. Ask your installer to have the panel report arming and disarming ("open/close"): without it nobody is named, and an alarm ends later here.'
  return new KeyholderError('NOT_FOUND', sentence, {}, { text: 'finding.armingUnreported' })
}

/** Checks the user code of a panel dialog; the form also holds the account's form with its id. */
export function panelCheck(RED: NodeAPI): FormAnswer {
  return checkStream((id, form, signal) => {
    const account = formOf(form.account)
    return withTrialAccount(RED, String(account.id ?? ''), account, async function* (opened) {
      yield* checkUserCode(opened.account, await panelOf(RED, id, form, opened), signal)
      if (await reportsNoArming(RED, id))
        yield { step: 'reports', state: 'failed', ...dialogError(armingUnreported()) }
    })
  })
}

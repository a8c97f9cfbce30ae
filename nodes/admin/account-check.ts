import type { NodeAPI } from 'node-red'
import { checkUp } from '../../src/account/check-up.ts'
import type { RawSettings } from '../../src/account/settings.ts'
import { configNode } from '../shared/config-node.ts'
import { endDemo } from '../shared/demo.ts'
import type { FormAnswer } from '../shared/form-route.ts'
import { isDemo, type OpenAccount, openAccount } from '../shared/open-account.ts'
import { checkAnswer } from './check-answer.ts'
import { credentialsFilledIn, filledIn } from './form-values.ts'

/** How many trials use the demo of an account at the moment. */
const demoTrials = new Map<string, number>()

/** Checks the sign-in of an account dialog, before the first deploy too. */
export function accountCheck(RED: NodeAPI): FormAnswer {
  return checkAnswer((id, form, signal) => tried(RED, id, form, ({ account }) => checkUp(account, signal)))
}

/**
 * Opens an account with the values of a form for as long as it is looked at.
 * @throws KeyholderError what is wrong with the values
 */
export async function* tried<T>(
  RED: NodeAPI,
  id: string,
  form: RawSettings,
  look: (opened: OpenAccount) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const ofDemo = isDemo(form)
  if (ofDemo) demoTrials.set(id, (demoTrials.get(id) ?? 0) + 1)
  let opened: OpenAccount | undefined
  try {
    const raw = ofDemo ? { source: form.source } : accountForm(RED, id, form)
    opened = await openAccount(RED, id, raw, () => {}, 'trial')
    yield* look(opened)
  } finally {
    opened?.release()
    if (ofDemo) await leaveDemo(RED, id)
  }
}

function accountForm(RED: NodeAPI, id: string, form: RawSettings): RawSettings {
  const node = configNode(RED, 'keyholder-account', id)
  const { email, password, ...rest } = form
  const settings = filledIn(rest, node?.deployed)
  const where = { to: settings.url, storedFor: node?.deployed.url }
  return { ...settings, ...credentialsFilledIn({ email, password }, node && { ...node.credentials }, where) }
}

/** A demo that only trials have used ends with the last of them. */
async function leaveDemo(RED: NodeAPI, id: string): Promise<void> {
  const left = (demoTrials.get(id) ?? 1) - 1
  if (left > 0) demoTrials.set(id, left)
  else demoTrials.delete(id)
  const { deployed = {} } = configNode(RED, 'keyholder-account', id) ?? {}
  if (left === 0 && !isDemo(deployed)) await endDemo(id)
}

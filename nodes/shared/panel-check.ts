import type { NodeAPI } from 'node-red'
import type { RawSettings } from '../../src/account/settings.ts'
import { tried } from './account-check.ts'
import { addCheckRoute, formOf } from './check-route.ts'
import { configNode } from './config-node.ts'
import { credentialsFilledIn, filledIn } from './form-values.ts'

/** Adds the route with which the panel dialog checks a user code; the form holds that of the account, with its id. */
export function addPanelCheck(RED: NodeAPI): void {
  addCheckRoute(RED, ['panel', 'account'], (id, form, signal) => {
    const account = formOf(form.account)
    return tried(RED, String(account.id ?? ''), account, async function* ({ account, demo }) {
      const { checkUserCode } = await import('../../src/account/check-up.ts')
      const { panelSettings } = await import('../../src/panel/settings.ts')
      // The demo needs no code, and what is typed for a real panel is not for it.
      const raw = demo ? { serial: form.serial } : panelForm(RED, id, form, account.settings.url)
      yield* checkUserCode(account, panelSettings(raw, demo, 0), signal)
    })
  })
}

function panelForm(RED: NodeAPI, id: string, { serial, userCode }: RawSettings, to: string): RawSettings {
  const node = configNode(RED, 'keyholder-panel', id)
  const storedFor = configNode(RED, 'keyholder-account', node?.deployed.account)?.deployed.url
  return {
    ...filledIn({ serial }, node?.deployed),
    ...credentialsFilledIn({ userCode }, node && { ...node.credentials }, { to, storedFor }),
  }
}

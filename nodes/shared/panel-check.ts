import type { NodeAPI } from 'node-red'
import { tried } from './account-check.ts'
import { addCheckRoute } from './check-route.ts'
import { formOf } from './form-route.ts'
import { panelOf } from './panel-form.ts'

/** Adds the route with which the panel dialog checks a user code; the form holds that of the account, with its id. */
export function addPanelCheck(RED: NodeAPI): void {
  addCheckRoute(RED, ['panel', 'account'], (id, form, signal) => {
    const account = formOf(form.account)
    return tried(RED, String(account.id ?? ''), account, async function* (opened) {
      const { checkUserCode } = await import('../../src/account/check-up.ts')
      yield* checkUserCode(opened.account, await panelOf(RED, id, form, opened), signal)
    })
  })
}

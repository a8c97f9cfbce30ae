import type { NodeAPI } from 'node-red'
import { checkUserCode } from '../../src/account/connection-check.ts'
import { withTrialAccount } from './account-check.ts'
import { checkStream } from './check-stream.ts'
import { type FormAnswer, formOf } from './form-route.ts'
import { panelOf } from './form-values.ts'

/** Checks the user code of a panel dialog; the form also holds the account's form with its id. */
export function panelCheck(RED: NodeAPI): FormAnswer {
  return checkStream((id, form, signal) => {
    const account = formOf(form.account)
    return withTrialAccount(RED, String(account.id ?? ''), account, async function* (opened) {
      yield* checkUserCode(opened.account, await panelOf(RED, id, form, opened), signal)
    })
  })
}

import type { NodeAPI } from 'node-red'
import { checkUserCode } from '../../src/account/check-up.ts'
import { type FormAnswer, formOf } from '../shared/form-route.ts'
import { tried } from './account-check.ts'
import { checkAnswer } from './check-answer.ts'
import { panelOf } from './panel-form.ts'

/** Checks the user code of a panel dialog; the form holds that of the account, with its id. */
export function panelCheck(RED: NodeAPI): FormAnswer {
  return checkAnswer((id, form, signal) => {
    const account = formOf(form.account)
    return tried(RED, String(account.id ?? ''), account, async function* (opened) {
      yield* checkUserCode(opened.account, await panelOf(RED, id, form, opened), signal)
    })
  })
}

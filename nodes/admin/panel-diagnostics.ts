import type { NodeAPI } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import type { PanelKey } from '../../src/account/requests/request.ts'
import { systemClock } from '../../src/clock.ts'
import { diagnosticsFile } from '../../src/messages/diagnostics-file.ts'
import { recordAnswers } from '../../src/panel/diagnostics/recording.ts'
import { asKeyholderError, dialogError } from '../../src/service/error.ts'
import { configNode } from '../config/config-nodes.ts'
import { packageInfo } from '../config/open-account.ts'
import { withTrialAccount } from './account-check.ts'
import { checkStream, type Line } from './check-stream.ts'
import { type FormAnswer, formOf } from './form-route.ts'
import { panelOf } from './form-values.ts'

/**
 * Makes the diagnostics file of a panel dialog. The form is the one of the panel's check. Only the redacted file
 * leaves Node-RED.
 */
export function panelDiagnostics(RED: NodeAPI): FormAnswer {
  return checkStream((id, form, signal) => {
    const accountForm = formOf(form.account)
    return withTrialAccount(RED, String(accountForm.id ?? ''), accountForm, async function* (opened) {
      const panel = await panelOf(RED, id, form, opened)
      try {
        yield* recordingLines(RED, id, opened.account, panel, signal)
      } catch (thrown) {
        // The settings are complete, and requests were sent.
        const failure = dialogError(asKeyholderError(thrown))
        yield { step: 'diagnostics', state: 'failed', ...failure } satisfies Line
      }
    })
  })
}

/** Reports each operation before it is asked, and then the file. */
async function* recordingLines(
  RED: NodeAPI,
  id: string,
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const steps = recordAnswers(account, panel, signal)
  let step = await steps.next()
  for (; !step.done; step = await steps.next()) {
    yield { step: 'diagnostics', state: 'running', ...step.value }
  }
  const { version } = await packageInfo()
  const versions = { plugin: version, nodeRed: await RED.version(), node: process.versions.node }
  const deployed = await configNode(RED, 'keyholder-panel', id)?.opened()
  const facts = { account, versions, panelHealth: deployed?.health, serial: panel.serial }
  const file = diagnosticsFile({ ...facts, now: systemClock.wall(), recording: step.value })
  yield { step: 'diagnostics', state: 'done', file }
}

import type { NodeAPI } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import type { PanelKey } from '../../src/account/requests/request.ts'
import { maxTraceBytes, type TraceEnd, TraceRecorder } from '../../src/account/requests/trace-recorder.ts'
import { systemClock } from '../../src/clock.ts'
import { diagnosticsFile } from '../../src/messages/diagnostics-file.ts'
import type { Versions } from '../../src/messages/health-message.ts'
import { traceFile } from '../../src/messages/trace-file.ts'
import { recordAnswers } from '../../src/panel/diagnostics/recording.ts'
import { asKeyholderError, dialogError } from '../../src/service/error.ts'
import { configNode } from '../config/config-nodes.ts'
import { packageInfo } from '../config/open-account.ts'
import { withTrialAccount } from './account-check.ts'
import { checkStream, type Line } from './check-stream.ts'
import { type FormAnswer, formOf, type Reply } from './form-route.ts'
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

/** The recording of a trace, as the dialog shows it. */
interface TraceState {
  state: 'undeployed' | 'none' | 'recording' | 'ended' | 'failed'
  /** The reason for which it has ended. */
  ended?: TraceEnd
  /** Milliseconds since 1970. */
  startedAt?: number
  /** Milliseconds. */
  duration?: number
  requests?: number
  bytes?: number
  /** The bytes at which it ends. */
  maxBytes?: number
}

/**
 * Starts, stops, shows and discards the trace of a deployed panel, as `action` of the form says. None of them sends a request to
 * the service. Of the trace, only the redacted file leaves Node-RED.
 */
export function panelTrace(RED: NodeAPI): FormAnswer {
  const send = (reply: Reply, state: TraceState) => {
    reply.set({ 'Content-Type': 'application/json' })
    reply.end(JSON.stringify(state))
  }
  return {
    async answer(id, { action }, reply) {
      const panel = await configNode(RED, 'keyholder-panel', id)?.opened()
      if (panel === undefined) {
        send(reply, { state: 'undeployed' })
        return
      }
      const { account, settings } = panel
      const { traces } = account.history
      const { serial } = settings
      if (action === 'start') traces.set(serial, new TraceRecorder(serial, account.clock))
      if (action === 'stop') traces.get(serial)?.stop()
      if (action === 'discard') traces.delete(serial)
      const trace = traces.get(serial)
      if (action === 'file' && trace !== undefined) {
        reply.set({ 'Content-Type': 'application/x-ndjson' })
        reply.end(traceFile({ trace, account, versions: await versionsOf(RED) }))
      } else send(reply, stateOf(trace))
    },
    fail: (_error, reply) => send(reply, { state: 'failed' }),
  }
}

function stateOf(trace: TraceRecorder | undefined): TraceState {
  if (trace === undefined) return { state: 'none' }
  const { ended, startedAt, duration, requests, bytes } = trace
  const figures = { startedAt, duration, requests, bytes, maxBytes: maxTraceBytes }
  return ended === undefined ? { state: 'recording', ...figures } : { state: 'ended', ended, ...figures }
}

async function versionsOf(RED: NodeAPI): Promise<Versions> {
  const { version } = await packageInfo()
  return { plugin: version, nodeRed: await RED.version(), node: process.versions.node }
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
  const versions = await versionsOf(RED)
  const deployed = await configNode(RED, 'keyholder-panel', id)?.opened()
  const facts = { account, versions, panelHealth: deployed?.health, serial: panel.serial }
  const file = diagnosticsFile({ ...facts, now: systemClock.wall(), recording: step.value })
  yield { step: 'diagnostics', state: 'done', file }
}

import type { Finding } from '../../src/account/connection-check.ts'
import type { ClusterFinding } from '../../src/cluster/cluster-check.ts'
import type { DiagnosticsFile } from '../../src/messages/diagnostics-file.ts'
import type { AskedName } from '../../src/panel/diagnostics/recording.ts'
import { type DialogError, dialogError } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { FormAnswer } from './form-route.ts'

/** One line of an answer: a finding, or the progress and the result of diagnostics. */
export type Line =
  | Finding
  | ClusterFinding
  | { step: 'diagnostics'; state: 'running'; operation: AskedName; number: number; of: number }
  | { step: 'diagnostics'; state: 'done'; file: DiagnosticsFile }
  | ({ step: 'diagnostics'; state: 'failed' } & DialogError)

/** Checks the unsaved values of a form; the signal aborts when the client disconnects. */
type FormCheck = (id: string, form: RawSettings, signal: AbortSignal) => AsyncIterable<Line>

/** Answers a form with findings: one line of JSON for each, sent as soon as it is known. */
export function checkStream(check: FormCheck): FormAnswer {
  const line = (finding: Line) => `${JSON.stringify(finding)}\n`
  return {
    async answer(id, form, reply, signal) {
      // A proxy must not buffer the response.
      reply.set({ 'Content-Type': 'application/x-ndjson', 'X-Accel-Buffering': 'no' })
      for await (const finding of check(id, form, signal)) if (!signal.aborted) reply.write(line(finding))
      reply.end()
    },
    fail(error, reply) {
      reply.end(line({ step: 'settings', state: 'failed', ...dialogError(error) }))
    },
  }
}

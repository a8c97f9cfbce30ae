import type { Finding } from '../../src/account/check-up.ts'
import type { RawSettings } from '../../src/account/settings.ts'
import type { FormAnswer } from '../shared/form-route.ts'

/** What checks the unsaved values of a form; the signal says that whoever asked went away. */
export type FormCheck = (id: string, form: RawSettings, signal: AbortSignal) => AsyncIterable<Finding>

/** The answer to what somebody has typed into a dialog: each finding as it is made, one line of JSON each. */
export function checkAnswer(check: FormCheck): FormAnswer {
  const line = (finding: Finding) => `${JSON.stringify(finding)}\n`
  return {
    async answer(id, form, reply, signal) {
      // A proxy in between is not to wait for the end.
      reply.set({ 'Content-Type': 'application/x-ndjson', 'X-Accel-Buffering': 'no' })
      for await (const finding of check(id, form, signal)) if (!signal.aborted) reply.write(line(finding))
      reply.end()
    },
    fail({ code, message }, reply) {
      reply.end(line({ step: 'settings', state: 'failed', code, message }))
    },
  }
}

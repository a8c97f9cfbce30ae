import type { NodeAPI } from 'node-red'
import type { Finding } from '../../src/account/check-up.ts'
import type { RawSettings } from '../../src/account/settings.ts'
import { addFormRoute } from './form-route.ts'

/** What checks the unsaved values of a form; the signal says that whoever asked went away. */
export type FormCheck = (id: string, form: RawSettings, signal: AbortSignal) => AsyncIterable<Finding>

/**
 * Adds an admin route that checks what somebody has typed into a dialog, and tells each finding as it is made: one
 * line of JSON each.
 * @param kinds of the nodes whose values the form holds; the dialog is that of the first
 */
export function addCheckRoute(RED: NodeAPI, kinds: readonly ('account' | 'panel')[], check: FormCheck): void {
  const line = (finding: Finding) => `${JSON.stringify(finding)}\n`
  addFormRoute(RED, kinds, 'check', {
    async answer(id, form, reply, signal) {
      // A proxy in between is not to wait for the end.
      reply.set({ 'Content-Type': 'application/x-ndjson', 'X-Accel-Buffering': 'no' })
      for await (const finding of check(id, form, signal)) if (!signal.aborted) reply.write(line(finding))
      reply.end()
    },
    fail({ code, message }, reply) {
      reply.end(line({ step: 'settings', state: 'failed', code, message }))
    },
  })
}

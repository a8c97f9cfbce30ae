import type { NodeAPI } from 'node-red'
import type { Finding } from '../../src/account/check-up.ts'
import type { RawSettings } from '../../src/account/settings.ts'
import { asKeyholderError } from '../../src/service/error.ts'
import { guard } from './guard.ts'

/** What checks the unsaved values of a form; the signal says that whoever asked went away. */
export type FormCheck = (id: string, form: RawSettings, signal: AbortSignal) => AsyncIterable<Finding>

/**
 * Adds an admin route that checks what somebody has typed into a dialog, and tells each finding as it is made: one
 * line of JSON each. It needs the right to change what is checked, since it makes the service count attempts.
 * @param kinds of the nodes whose values the form holds; the dialog is that of the first
 */
export function addCheckRoute(RED: NodeAPI, kinds: readonly ('account' | 'panel')[], check: FormCheck): void {
  const log = { error: (error: unknown) => RED.log.error(String(error)) }
  const permissions = kinds.map((kind) => RED.auth.needsPermission(`keyholder-${kind}.write`))
  RED.httpAdmin.post(`/keyholder/${kinds[0]}/:id/check`, ...permissions, (request, response) => {
    const presence = new AbortController()
    const tell = (finding: Finding) => {
      if (!presence.signal.aborted) response.write(`${JSON.stringify(finding)}\n`)
    }
    guard(
      log,
      async () => {
        response.on('close', () => presence.abort())
        response.on('error', () => presence.abort())
        // A page of another site can have a browser send a form without asking, but no JSON.
        if (!request.is('json')) return void response.sendStatus(415)
        response.set({ 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' })
        // A proxy in between is not to wait for the end.
        response.set('X-Accel-Buffering', 'no')
        const { id } = request.params
        for await (const finding of check(String(id), formOf(request.body), presence.signal)) tell(finding)
        response.end()
      },
      (error) => {
        const { code, message } = asKeyholderError(error)
        tell({ step: 'settings', state: 'failed', code, message })
        response.end()
      },
    )
  })
}

/** A form as it came, or an empty one. */
export function formOf(body: unknown): RawSettings {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

import type { NodeAPI } from 'node-red'
import type { RawSettings } from '../../src/account/settings.ts'
import { asKeyholderError, type KeyholderError } from '../../src/service/error.ts'
import { guard } from './guard.ts'

/** The part of an answer to the editor that is written here. */
export interface Reply {
  set(headers: Record<string, string>): unknown
  write(text: string): unknown
  end(text?: string): unknown
}

/** Answers a form of the editor. */
export interface FormAnswer {
  /** @param signal says that whoever asked went away; nothing that is written then arrives */
  answer(id: string, form: RawSettings, reply: Reply, signal: AbortSignal): Promise<void>
  /** Ends an answer that could not be given. */
  fail(error: KeyholderError, reply: Reply): void
}

/**
 * Adds an admin route to which the editor posts what somebody has typed into a dialog. It needs the right to change
 * what the form is of, since it makes the service count attempts.
 * @param kinds of the nodes whose values the form holds; the dialog is that of the first
 * @param load imports what answers when it is first asked
 */
export function addFormRoute(
  RED: NodeAPI,
  kinds: readonly ('account' | 'panel')[],
  name: string,
  load: () => Promise<FormAnswer>,
): void {
  const log = { error: (error: unknown) => RED.log.error(String(error)) }
  const permissions = kinds.map((kind) => RED.auth.needsPermission(`keyholder-${kind}.write`))
  RED.httpAdmin.post(`/keyholder/${kinds[0]}/:id/${name}`, ...permissions, (request, response) => {
    const presence = new AbortController()
    guard(
      log,
      async () => {
        response.on('close', () => presence.abort())
        response.on('error', () => presence.abort())
        // A page of another site can have a browser send a form without asking, but no JSON.
        if (!request.is('json')) return void response.sendStatus(415)
        response.set({ 'Cache-Control': 'no-store' })
        const { answer, fail } = await load()
        try {
          await answer(String(request.params.id), formOf(request.body), response, presence.signal)
        } catch (thrown) {
          if (!presence.signal.aborted) fail(asKeyholderError(thrown), response)
        }
      },
      (error) => {
        log.error(error)
        // It could not be loaded, as while the package is being replaced; nobody is to wait for an answer.
        if (response.headersSent) response.end()
        else response.sendStatus(500)
      },
    )
  })
}

/** A form as it came, or an empty one. */
export function formOf(body: unknown): RawSettings {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

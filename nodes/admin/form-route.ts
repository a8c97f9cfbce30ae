import type { IncomingHttpHeaders } from 'node:http'
import type { NodeAPI } from 'node-red'
import { asKeyholderError, type KeyholderError } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import { guard } from '../shared/guard.ts'

/** The part of the HTTP response that is used here. */
export interface Reply {
  set(headers: Record<string, string>): unknown
  write(text: string): unknown
  end(text?: string): unknown
}

/** Bytes of the body of a route. The longest form of a dialog has a few thousand; Node-RED itself reads 5 MB. */
const maxBodyBytes = 64 * 1024

/** Returns true for a body that is too large for a route. Its header does not tell, if it is compressed or sent in chunks. */
export function isTooLarge(request: { headers: IncomingHttpHeaders; body?: unknown }): boolean {
  if (Number(request.headers['content-length']) > maxBodyBytes) return true
  try {
    return Buffer.byteLength(JSON.stringify(request.body) ?? '') > maxBodyBytes
  } catch {
    // Lists in lists, so many that they exhaust the stack.
    return true
  }
}

/** Answers a form of the editor. */
export interface FormAnswer {
  /** @param signal aborts when the client disconnects; anything written after that is lost */
  answer(id: string, form: RawSettings, reply: Reply, signal: AbortSignal): Promise<void>
  /** Ends the response after an error. */
  fail(error: KeyholderError, reply: Reply): void
}

/**
 * Adds an admin route for the unsaved values of a dialog. It needs write permission for the nodes in the
 * form, because the service counts each attempt.
 * @param kinds of the nodes whose values the form holds; the first one is the node of the dialog
 * @param load imports the handler on the first request
 */
export function addFormRoute(
  RED: NodeAPI,
  kinds: readonly ('account' | 'cluster' | 'panel' | 'chain-test')[],
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
        // A page of another site can make a browser post a form without CORS preflight, but not JSON.
        if (!request.is('json')) return void response.sendStatus(415)
        if (isTooLarge(request)) return void response.sendStatus(413)
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
        // The import failed, e.g. while the package is being replaced; the client must still get a response.
        if (response.headersSent) response.end()
        else response.sendStatus(500)
      },
    )
  })
}

/** Returns the body as a form, or an empty form if the body is not an object. */
export function formOf(body: unknown): RawSettings {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { HttpResponse } from '../http/http-response.ts'

/** Host names by which a browser on this machine reaches the simulator. */
const hostNames = ['127.0.0.1', 'localhost']

/**
 * Returns an error for a request that comes neither from the console page nor from a user who opens it.
 *
 * Any web page can make a browser send requests to this machine, and the simulator may run inside the user's
 * Node-RED. The `Host` header exposes a page whose own name resolves to this machine (DNS rebinding). A page
 * of another origin cannot set `Origin`, and can set this content type only after a CORS preflight, which the
 * simulator never answers.
 */
export function checkOrigin({ method, headers, socket }: IncomingMessage): HttpResponse | undefined {
  const scheme = socket instanceof TLSSocket ? 'https' : 'http'
  const ownUrls = hostNames.map((name) => new URL(`${scheme}://${name}:${socket.localPort}`))
  const requestedUrl = ownUrls.find(({ host }) => host === headers.host?.toLowerCase())
  if (!requestedUrl)
    return messageResponse(
      403,
      `The console is available only at ${ownUrls.map(({ origin }) => origin).join(' and ')}.`,
    )
  if (method !== 'POST') return undefined
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  if (headers.origin !== requestedUrl.origin || site !== 'same-origin') {
    return messageResponse(403, 'Actions are accepted only from the console page.')
  }
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    return messageResponse(415, 'Send JSON, with the content type application/json.')
  }
  return undefined
}

/** Returns a response with one sentence. */
export function messageResponse(status: number, message: string): HttpResponse {
  return { status, body: { message } }
}

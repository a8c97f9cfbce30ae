import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { HttpResponse } from './http-response.ts'

/**
 * Returns an error for a request that comes neither from the console page nor from a user who opens it.
 *
 * Any web page can make a browser send requests to this machine, and the simulator may run inside the user's
 * Node-RED. The `Host` header exposes a page whose own name resolves to this machine (DNS rebinding). A page
 * of another origin cannot set `Origin`, and can set this content type only after a CORS preflight, which the
 * simulator never answers.
 */
export function checkOrigin(request: IncomingMessage): HttpResponse | undefined {
  const { method, headers } = request
  const url = requestedUrl(request)
  if (!url) {
    const origins = ownUrls(request).map(({ origin }) => origin)
    return messageResponse(403, `The console is available only at ${origins.join(' and ')}.`)
  }
  if (method !== 'POST') return undefined
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  const isFromPage = headers.origin === url.origin && site === 'same-origin'
  return checkAction(isFromPage, /^application\/json *(;|$)/i.test(headers['content-type'] ?? ''))
}

/**
 * Returns an error for a request to the service that a program on this machine did not send: a web page could lock the sign-in
 * of a demo, or read replayed answers. A browser names the page in these headers, and no client of the service sends them.
 */
export function checkCaller(request: IncomingMessage): HttpResponse | undefined {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = request.headers
  const [own] = ownUrls(request)
  // A forwarded port has another number.
  const url = URL.canParse(`${own?.protocol}//${host}`) ? new URL(`${own?.protocol}//${host}`) : undefined
  if (url === undefined || !hostNames.includes(url.hostname))
    return messageResponse(403, `The simulator is available only at ${hostNames.join(' and ')}.`)
  const isForeign =
    (origin !== undefined && origin !== url.origin) || !['none', 'same-origin'].includes(String(site))
  return isForeign ? messageResponse(403, 'Requests of other web pages are not answered.') : undefined
}

/** Returns an error for an action that the console page did not send, or that is not JSON. */
export function checkAction(isFromPage: boolean, isJson: boolean): HttpResponse | undefined {
  if (!isFromPage) return messageResponse(403, 'Actions are accepted only from the console page.')
  if (!isJson) return messageResponse(415, 'Send JSON, with the content type application/json.')
  return undefined
}

/** Host names by which a program on this machine reaches the simulator. */
const hostNames = ['127.0.0.1', 'localhost']

/** Returns the URLs by which a program on this machine reaches the simulator. */
function ownUrls({ socket }: IncomingMessage): readonly URL[] {
  const scheme = socket instanceof TLSSocket ? 'https' : 'http'
  return hostNames.map((name) => new URL(`${scheme}://${name}:${socket.localPort}`))
}

/**
 * Returns the own URL that a request is addressed to; undefined for any other host. The `Host` header exposes
 * a page whose own name resolves to this machine (DNS rebinding).
 */
function requestedUrl(request: IncomingMessage): URL | undefined {
  return ownUrls(request).find(({ host }) => host === request.headers.host?.toLowerCase())
}

/** Returns a response with one sentence. */
export function messageResponse(status: number, message: string): HttpResponse {
  return { status, body: { message } }
}

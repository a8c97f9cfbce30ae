import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { HttpResponse } from './http-response.ts'

/** Host names by which a program on this machine reaches the simulator. */
const hostNames = ['127.0.0.1', 'localhost']

/** Returns the URLs by which a program on this machine reaches the simulator. */
export function ownUrls({ socket }: IncomingMessage): readonly URL[] {
  const scheme = socket instanceof TLSSocket ? 'https' : 'http'
  return hostNames.map((name) => new URL(`${scheme}://${name}:${socket.localPort}`))
}

/**
 * Returns the own URL that a request is addressed to; undefined for any other host. The `Host` header exposes
 * a page whose own name resolves to this machine (DNS rebinding).
 */
export function requestedUrl(request: IncomingMessage): URL | undefined {
  return ownUrls(request).find(({ host }) => host === request.headers.host?.toLowerCase())
}

/** Returns a response with one sentence. */
export function messageResponse(status: number, message: string): HttpResponse {
  return { status, body: { message } }
}

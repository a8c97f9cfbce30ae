import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, Server as SecureServer } from 'node:https'
import type { ActiveFaults } from '../faults/active-faults.ts'
import type { Guard } from '../guard.ts'
import type { Schedule } from '../schedule.ts'
import { type Answer, defective, tooLarge } from './http-response.ts'
import type { Service } from './operations/operation.ts'
import type { RequestLog } from './request-log.ts'
import { respond } from './respond.ts'
import { Wire } from './response-writer.ts'
import { type Api, route } from './router.ts'

/**
 * A handler for other paths than the service's: faults do not apply to its requests, and they are not logged.
 */
export interface Beside {
  /** Tells if it answers this path; it must not be a path of the service. */
  owns(path: string): boolean
  /** Answers a request to such a path (without query) after its body was read. */
  answer(request: IncomingMessage, path: string, body: string): Answer
}

/** The dependencies of the server. */
export interface Parts {
  readonly service: Service
  readonly apis: readonly Api[]
  readonly beside: Beside
  readonly faults: ActiveFaults
  /** Responses that are not finished yet. */
  readonly wires: Set<Wire>
  readonly log: RequestLog
  readonly schedule: Schedule
  readonly guard: Guard
}

const maxBodyBytes = 1024 * 1024
// Size above which a body is not read to its end just to answer with 413.
const maxReadBytes = 16 * maxBodyBytes

/** Certificate and private key in PEM for a server with https. */
export interface TlsOptions {
  cert: string | Buffer
  key: string | Buffer
}

/**
 * Creates the HTTP server of the simulator; it does not listen yet. Throws if certificate or key is invalid.
 */
export function simulatorServer(parts: Parts, tls: TlsOptions | undefined): Server {
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    parts.guard.run(() => receive(request, response, parts))
  }
  const server = tls ? ofUse(() => createSecureServer(tls, serve)) : createServer(serve)
  // Invalid HTTP gets a plain 400; the default would emit an error event without a handler.
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  return server
}

/**
 * Uses another certificate for all new connections. Throws without https, and if the certificate is invalid.
 */
export function presentAt(server: Server, tls: TlsOptions): void {
  if (!(server instanceof SecureServer))
    throw new Error('The simulator has no https to present a certificate with.')
  ofUse(() => server.setSecureContext(tls))
  server.closeIdleConnections()
}

function ofUse<T>(taken: () => T): T {
  try {
    return taken()
  } catch (error) {
    throw new Error(`The certificate and its key are of no use: ${(error as Error).message}.`)
  }
}

function receive(request: IncomingMessage, response: ServerResponse, parts: Parts): void {
  const [path = '/'] = (request.url ?? '/').split('?', 1)
  const query = (request.url ?? '').slice(path.length + 1)
  const isBeside = parts.beside.owns(path)
  const noteStatus = isBeside
    ? () => {}
    : parts.log.note(parts.schedule.clock.monotonic(), request.method ?? '', path)
  const wire = new Wire(response, parts.schedule, noteStatus)
  request.on('error', () => {})

  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
    else if (size > maxReadBytes) request.destroy()
  })
  request.on('end', () => {
    const read = size <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : undefined
    parts.guard.run(
      () => answer(request, { path, query, body: read }, parts, wire),
      () => wire.send(defective),
    )
  })
}

function answer(
  request: IncomingMessage,
  { path, query, body }: { path: string; query: string; body: string | undefined },
  { service, apis, beside, faults, wires }: Parts,
  wire: Wire,
): void {
  if (body === undefined) {
    wire.send(tooLarge)
    return
  }
  if (beside.owns(path)) {
    wire.send(beside.answer(request, path, body))
    return
  }
  const way = route(apis, request.method ?? '', path)
  const operation = way.to === 'nowhere' ? '' : way.name
  const userToken = header(request, 'user-token')
  const sessionToken = header(request, 'session-token')
  const getOriginal = () => respond(service, apis, way, { userToken, sessionToken, query, body })
  const { accounts, processes } = service
  wires.add(wire)
  wire.onClose(() => wires.delete(wire))
  faults.answer(getOriginal, { operation, path, accounts, processes }, wire)
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

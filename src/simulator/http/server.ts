import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, Server as SecureServer } from 'node:https'
import type { Faults } from '../faults/faults.ts'
import type { Guard } from '../guard.ts'
import type { Schedule } from '../schedule.ts'
import { type Answer, defective, tooLarge } from './answer.ts'
import type { Service } from './operation.ts'
import type { RequestLog } from './request-log.ts'
import { respond } from './respond.ts'
import { type Api, route } from './router.ts'
import { Wire } from './wire.ts'

/** What answers beside the service: no fault meets its requests, and the log does not note them. */
export interface Beside {
  /** True for the paths that it answers; of the service's own there are none among them. */
  owns(path: string): boolean
  /** Answers a request to such a path, without query, whose body was read. */
  answer(request: IncomingMessage, path: string, body: string): Answer
}

/** What the server answers from. */
export interface Parts {
  readonly service: Service
  readonly apis: readonly Api[]
  readonly beside: Beside
  readonly faults: Faults
  readonly log: RequestLog
  readonly schedule: Schedule
  readonly guard: Guard
}

const largestBody = 1024 * 1024
// What is larger than this is not even read to its end for the sake of a polite 413.
const patience = 16 * largestBody

/** Certificate and private key in PEM, with which the server speaks https. */
export interface TlsOptions {
  cert: string | Buffer
  key: string | Buffer
}

/** The HTTP side of the simulator; not yet listening. Throws when certificate and key are of no use. */
export function simulatorServer(parts: Parts, tls: TlsOptions | undefined): Server {
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    parts.guard.run(() => receive(request, response, parts))
  }
  const server = tls ? ofUse(() => createSecureServer(tls, serve)) : createServer(serve)
  // Broken HTTP gets a plain 400; the default would leave an error to whoever listens for none.
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  return server
}

/** Shows another certificate to everybody who connects from now on. Throws without https, and when it is of no use. */
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
    if (size <= largestBody) chunks.push(chunk)
    else if (size > patience) request.destroy()
  })
  request.on('end', () => {
    const read = size <= largestBody ? Buffer.concat(chunks).toString('utf8') : undefined
    parts.guard.run(
      () => answer(request, { path, query, body: read }, parts, wire),
      () => wire.send(defective),
    )
  })
}

function answer(
  request: IncomingMessage,
  { path, query, body }: { path: string; query: string; body: string | undefined },
  { service, apis, beside, faults }: Parts,
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
  const truth = () => respond(service, apis, way, { userToken, sessionToken, query, body })
  const { accounts, processes } = service
  faults.answer(truth, { operation, path, accounts, processes }, wire)
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

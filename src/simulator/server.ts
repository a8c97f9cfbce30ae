import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, Server as SecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { ActiveFaults } from './faults/active-faults.ts'
import type { Guard } from './guard.ts'
import { type HttpResponse, internalError, requestTooLarge } from './http/http-response.ts'
import type { Service } from './http/operation.ts'
import { checkCaller } from './http/origin-check.ts'
import type { RequestLog } from './http/request-log.ts'
import { ResponseWriter } from './http/response-writer.ts'
import { type Api, findRoute, respond } from './http/router.ts'
import type { Schedule } from './schedule.ts'

/**
 * A handler for paths outside the service: its requests are not logged, and faults do not apply to them.
 */
export interface SideHandler {
  /** Returns true for the paths that it answers; they must not be paths of the service. */
  owns(path: string): boolean
  /** Answers a request to such a path (without query) after its body was read. */
  answer(request: IncomingMessage, path: string, body: string): HttpResponse
}

/** The dependencies of the server. */
interface ServerDependencies {
  readonly service: Service
  readonly apis: readonly Api[]
  readonly sideHandler: SideHandler | undefined
  readonly faults: ActiveFaults
  /** Responses that are not finished yet. */
  readonly openResponses: Set<ResponseWriter>
  readonly log: RequestLog
  readonly schedule: Schedule
  readonly guard: Guard
}

const maxBodyBytes = 1024 * 1024
// A body above this size is not read to its end: the connection is closed without a 413.
const maxReadBytes = 16 * maxBodyBytes

/** Certificate and private key in PEM for a server with https. */
export interface TlsOptions {
  cert: string | Buffer
  key: string | Buffer
}

/**
 * Creates the HTTP server of the simulator; it does not listen yet. Throws if certificate or key is invalid.
 */
export function createSimulatorServer(dependencies: ServerDependencies, tls: TlsOptions | undefined): Server {
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    dependencies.guard.run(() => receive(request, response, dependencies))
  }
  const server = tls ? withValidTls(() => createSecureServer(tls, serve)) : createServer(serve)
  // Invalid HTTP gets a plain 400 instead of an error event without a handler.
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  return server
}

/** Uses another certificate for all new connections. Throws without https or if the certificate is invalid. */
export function setServerCertificate(server: Server, tls: TlsOptions): void {
  if (!(server instanceof SecureServer))
    throw new Error('The certificate cannot be changed: the simulator runs without https.')
  withValidTls(() => server.setSecureContext(tls))
  server.closeIdleConnections()
}

function withValidTls<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw new Error(`The certificate or its key is invalid: ${(error as Error).message}.`)
  }
}

function receive(request: IncomingMessage, response: ServerResponse, dependencies: ServerDependencies): void {
  const [path = '/'] = (request.url ?? '/').split('?', 1)
  const query = (request.url ?? '').slice(path.length + 1)
  const isSideRequest = dependencies.sideHandler?.owns(path)
  const onStatus = isSideRequest
    ? () => {}
    : dependencies.log.add(dependencies.schedule.clock.monotonic(), request.method ?? '', path)
  const writer = new ResponseWriter(response, dependencies.schedule, onStatus)
  request.on('error', () => {})

  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
    else if (size > maxReadBytes) request.destroy()
  })
  request.on('end', () => {
    const content = size <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : undefined
    dependencies.guard.run(
      () => answer(request, { path, query, body: content }, dependencies, writer),
      () => writer.send(internalError),
    )
  })
}

function answer(
  request: IncomingMessage,
  { path, query, body }: { path: string; query: string; body: string | undefined },
  { service, apis, sideHandler, faults, openResponses }: ServerDependencies,
  writer: ResponseWriter,
): void {
  if (body === undefined) {
    writer.send(requestTooLarge)
    return
  }
  if (sideHandler?.owns(path)) {
    writer.send(sideHandler.answer(request, path, body))
    return
  }
  const refusal = checkCaller(request)
  if (refusal !== undefined) {
    writer.send(refusal)
    return
  }
  const target = findRoute(apis, request.method ?? '', path)
  const operation = target.to === 'error' ? '' : target.name
  const userToken = readHeader(request, 'user-token')
  const sessionToken = readHeader(request, 'session-token')
  const getOriginal = () => respond(service, apis, target, { userToken, sessionToken, query, body })
  const { accounts, processes } = service
  openResponses.add(writer)
  writer.onClose(() => openResponses.delete(writer))
  faults.answer(getOriginal, { operation, path, body, accounts, processes }, writer)
}

function readHeader(request: IncomingMessage, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

/** A listening server. */
interface ListeningServer {
  readonly port: number
  /** Closes the server and all its sockets at once; can be called repeatedly. */
  end(): Promise<void>
}

/**
 * Makes a server listen on 127.0.0.1.
 *
 * Rejects with one sentence if it fails; `code` of the error is the system's, e.g. `EADDRINUSE` for a used
 * port.
 */
export function listen(server: Server, port: number): Promise<ListeningServer> {
  // Tracked here because an https server does not report sockets before their handshake.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const end = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(createListenError(error, port)))
    server.listen(port, '127.0.0.1', () => {
      server.on('error', () => {})
      resolve({ port: (server.address() as AddressInfo).port, end })
    })
  })
}

function createListenError(error: NodeJS.ErrnoException, port: number): Error {
  const reason =
    error.code === 'EADDRINUSE'
      ? 'it is already in use; choose another port'
      : `system error ${error.code ?? 'unknown'}`
  return Object.assign(new Error(`The simulator cannot listen on port ${port} of 127.0.0.1: ${reason}.`), {
    code: error.code,
  })
}

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Guard } from '../guard.ts'
import type { Schedule } from '../schedule.ts'
import { type Answer, defective, tooLarge } from './answer.ts'
import type { Service } from './operation.ts'
import type { RequestLog } from './request-log.ts'
import { respond } from './respond.ts'
import { type Api, route } from './router.ts'
import type { Script } from './script.ts'

/** What the server answers from. */
export interface Parts {
  readonly service: Service
  readonly apis: readonly Api[]
  readonly script: Script
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
    parts.guard.run(
      () => receive(request, response, parts),
      () => send(response, defective),
    )
  }
  const server = tls ? secureServer(tls, serve) : createServer(serve)
  // Broken HTTP gets a plain 400; the default would leave an error to whoever listens for none.
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  return server
}

function secureServer(tls: TlsOptions, serve: RequestListener): Server {
  try {
    return createSecureServer(tls, serve)
  } catch (error) {
    throw new Error(`The certificate and its key are of no use: ${(error as Error).message}.`)
  }
}

function receive(request: IncomingMessage, response: ServerResponse, parts: Parts): void {
  const [path = '/'] = (request.url ?? '/').split('?', 1)
  const query = (request.url ?? '').slice(path.length + 1)
  const noteStatus = parts.log.note(parts.schedule.clock.monotonic(), request.method ?? '', path)
  const reply = (answer: Answer) => {
    if (send(response, answer)) noteStatus(answer.status)
  }
  response.on('error', () => {})
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
      () => answer(request, { path, query, body: read }, parts, reply),
      () => reply(defective),
    )
  })
}

function answer(
  request: IncomingMessage,
  { path, query, body }: { path: string; query: string; body: string | undefined },
  { service, apis, script, schedule }: Parts,
  reply: (answer: Answer) => void,
): void {
  if (body === undefined) {
    reply(tooLarge)
    return
  }
  const way = route(apis, request.method ?? '', path)
  const line = way.to === 'nowhere' ? undefined : script.take(way.name)
  if (line === 'hang') return
  const userToken = header(request, 'user-token')
  const sessionToken = header(request, 'session-token')
  const said = line ?? respond(service, apis, way, { userToken, sessionToken, query, body })
  if (line?.delay) schedule.after(line.delay, () => reply(said))
  else reply(said)
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

/** Sends an answer, unless there is one already or nobody is left to take it. */
function send(response: ServerResponse, { status, body, headers, phrase }: Answer): boolean {
  if (response.headersSent || response.destroyed) return false
  const isText = typeof body === 'string'
  const type = isText ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8'
  const text = body === undefined ? '' : isText ? body : JSON.stringify(body)
  response.statusCode = status
  if (phrase !== undefined && STATUS_CODES[status] === undefined) response.statusMessage = phrase
  response.setHeader('Content-Type', type)
  response.setHeader('Cache-Control', 'no-store')
  // One by one, so that a header of the answer replaces ours whatever its capitals.
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
  response.end(text)
  return true
}

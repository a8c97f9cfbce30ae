import { EventEmitter } from 'node:events'
import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http'

/** A response of the simulator that goes over no connection, with the members of Node's that the simulator uses. */
export abstract class MemoryResponse extends EventEmitter {
  statusCode = 200
  statusMessage = ''
  headersSent = false
  writableEnded = false
  destroyed = false
  /** It has no port, so the client has no open connection either. */
  readonly socket = {
    destroyed: false,
    writableEnded: false,
    remotePort: undefined,
    resetAndDestroy: () => this.destroy(),
    destroySoon: () => this.destroy(),
  }
  protected readonly headers: IncomingHttpHeaders = {}

  setHeader(name: string, value: string): void {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    this.headers[name.toLowerCase()] = value.trim()
  }

  /** Ends it as the end of its connection does. */
  abstract destroy(): void
}

/** A request as a client sends it. */
interface ClientRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Gives a simulator a request, with the members of one that it reads.
 * @param service its server, and its address without a path
 * @param path with the query
 * @param onRequest is called with the request before the simulator gets it
 */
export function giveRequest(
  { server, url }: { readonly server: Pick<EventEmitter, 'emit'>; readonly url: string },
  path: string,
  { method, headers, body }: ClientRequest,
  response: MemoryResponse,
  onRequest: (request: EventEmitter & { socket: object }) => void = () => {},
): void {
  const { host, port } = new URL(url)
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const request = Object.assign(new EventEmitter(), {
    method,
    url: path,
    headers: { host, ...Object.fromEntries(names) },
    socket: { localPort: Number(port) },
  })
  onRequest(request)
  server.emit('request', request, response)
  if (body !== undefined) request.emit('data', Buffer.from(JSON.stringify(body)))
  request.emit('end')
}

import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Writes any bytes to a connection. */
export type RawResponse = (socket: Socket) => void

/** A server that answers `/light` with a valid small response and `/heavy` with any bytes. */
export class RawServer {
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket))
  /** The response to `/heavy`. */
  response: RawResponse = () => {}
  /** The first lines of the requests. */
  readonly requests: string[] = []

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    let head = ''
    socket.on('data', (data) => {
      head += data
      if (!head.includes('\r\n\r\n')) return
      const [line = ''] = head.split('\r\n')
      head = ''
      this.requests.push(line)
      if (line.includes('/light')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
      else this.response(socket)
    })
  }
}

/** Returns a complete response with `Content-Length`. */
export function completeResponse(body: Buffer, headers = ''): RawResponse {
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n`)
    socket.write(body)
  }
}

/** Returns a response that repeats a piece as fast as the client reads it. */
export function endlessResponse(
  beginning: string,
  piece: Buffer | string,
  times = Number.POSITIVE_INFINITY,
): RawResponse {
  return (socket) => {
    let sent = 0
    socket.write(beginning)
    const more = () => {
      while (sent < times && !socket.destroyed) {
        sent += 1
        if (!socket.write(piece)) {
          socket.once('drain', more)
          return
        }
      }
      if (!socket.destroyed) socket.end()
    }
    more()
  }
}

/** Returns a response that sends a piece every `every` milliseconds. */
export function drippingResponse(
  beginning: string,
  piece: (count: number) => string,
  every: number,
): RawResponse {
  return (socket) => {
    socket.write(beginning)
    let count = 0
    const drip = setInterval(() => {
      count += 1
      socket.write(piece(count))
    }, every)
    socket.on('close', () => clearInterval(drip))
  }
}

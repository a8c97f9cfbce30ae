import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Puts an answer on a connection, byte by byte as it likes. */
export type RawResponse = (socket: Socket) => void

/** A server that answers `/light` as it should, and `/heavy` with whatever bytes a test likes. */
export class RawServer {
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket))
  /** What `/heavy` is answered with. */
  response: RawResponse = () => {}
  /** Requests that arrived, by their first line. */
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

/** An answer with a body of known length. */
export function completeResponse(body: Buffer, headers = ''): RawResponse {
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n`)
    socket.write(body)
  }
}

/** A beginning, and then the same piece again and again, as fast as it is taken. */
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

/** A beginning, and then a piece every so many milliseconds. */
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

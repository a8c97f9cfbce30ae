import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Duplex } from 'node:stream'

/** The kinds of frames that a server sends. */
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const

/**
 * A WebSocket to a server on loopback, for text. That of Node.js 20 is an experiment, and stalls now and then when much
 * arrives on a busy machine.
 */
export class TextSocket {
  readonly #socket: Duplex
  #received = Buffer.alloc(0)
  #text: Buffer[] = []

  private constructor(socket: Duplex) {
    this.#socket = socket
  }

  /**
   * Connects to a path of an HTTP server.
   * @param handlers get each text, and the end of the connection
   */
  static connect(url: string, handlers: { text(text: string): void; end(): void }): Promise<TextSocket> {
    const key = randomBytes(16).toString('base64')
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13 }
    return new Promise((resolve, reject) => {
      const upgrade = request(url, { headers: { ...headers, 'Sec-WebSocket-Key': key } })
      upgrade.once('error', reject)
      upgrade.once('response', ({ statusCode }) => reject(new Error(`${url} answers ${statusCode}.`)))
      upgrade.once('upgrade', (_response, socket, head) => {
        const opened = new TextSocket(socket)
        socket.on('error', () => {})
        socket.once('close', handlers.end)
        socket.unshift(head)
        resolve(opened)
        // Not before the caller has the socket.
        setImmediate(() => socket.on('data', (data: Buffer) => opened.#receive(data, handlers.text)))
      })
      upgrade.end()
    })
  }

  send(text: string): void {
    this.#write(opcodes.text, Buffer.from(text))
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Writes a frame, which a client must mask; with zeros, the content stays as it is. */
  #write(opcode: number, content: Buffer): void {
    const length = Buffer.alloc(9)
    length[0] = 0x80 | 127
    length.writeBigUInt64BE(BigInt(content.length), 1)
    const short = content.length < 126 ? Buffer.from([0x80 | content.length]) : length
    this.#socket.write(Buffer.concat([Buffer.from([0x80 | opcode]), short, Buffer.alloc(4), content]))
  }

  #receive(data: Buffer, text: (text: string) => void): void {
    this.#received = Buffer.concat([this.#received, data])
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) {
      const { opcode, isLast, content } = frame
      if (opcode === opcodes.ping) this.#write(opcodes.pong, content)
      else if (opcode === opcodes.close) this.close()
      else if (opcode <= opcodes.text) {
        this.#text.push(content)
        if (isLast) text(Buffer.concat(this.#text.splice(0)).toString('utf8'))
      }
    }
  }

  /** Takes the next frame that has arrived whole; undefined if there is none. */
  #take(): { opcode: number; isLast: boolean; content: Buffer } | undefined {
    const received = this.#received
    const [first = 0, second = 0] = received
    const start = second < 126 ? 2 : second === 126 ? 4 : 10
    if (received.length < start) return undefined
    const length =
      second < 126 ? second : second === 126 ? received.readUInt16BE(2) : Number(received.readBigUInt64BE(2))
    if (received.length < start + length) return undefined
    this.#received = received.subarray(start + length)
    const content = received.subarray(start, start + length)
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, content }
  }
}

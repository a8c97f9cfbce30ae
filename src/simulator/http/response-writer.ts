import { type ServerResponse, STATUS_CODES } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Schedule } from '../schedule.ts'
import { bodyText, type HttpResponse } from './http-response.ts'

/** The connection for one response. Everything that is started on it ends when the client disconnects. */
export class ResponseWriter {
  readonly #response: ServerResponse
  readonly #schedule: Schedule
  readonly #onStatus: (status: number) => void
  #isStreaming = false

  /** @param onStatus gets the status as soon as it is sent */
  constructor(response: ServerResponse, schedule: Schedule, onStatus: (status: number) => void) {
    this.#response = response
    this.#schedule = schedule
    this.#onStatus = onStatus
    response.on('error', () => {})
  }

  /**
   * True if the response waits for the clock, or is never sent. False while it is being sent, and after the
   * client has disconnected.
   */
  get isWithheld(): boolean {
    const { writableEnded, destroyed, socket } = this.#response
    if (this.#isStreaming || writableEnded || destroyed) return false
    return socket !== null && !socket.destroyed && !socket.writableEnded
  }

  /** TCP port of the client. */
  get port(): number | undefined {
    return this.#response.socket?.remotePort
  }

  /** Sends a complete response, unless one was already sent or the client has disconnected. */
  send(response: HttpResponse): void {
    const { latency = 0, isDropped = false } = response
    const text = bodyText(response)
    const send = () => {
      if (this.#writeHead(response)) this.#response.end(text)
    }
    if (isDropped) this.reset()
    else if (latency === 0) send()
    else if (latency < Number.POSITIVE_INFINITY) this.after(latency, send)
  }

  /**
   * Sends status and headers; the body must follow. Returns false in the cases in which `send` sends nothing.
   * @param headers override those of the response
   */
  open(response: HttpResponse, headers: Readonly<Record<string, string>>): boolean {
    if (!this.#writeHead({ ...response, headers: { ...response.headers, ...headers } })) return false
    this.#response.flushHeaders()
    return true
  }

  /** Sends a piece of the body. */
  write(piece: Buffer): void {
    this.#response.write(piece)
  }

  /** Sends pieces, respecting backpressure, then ends the response. */
  stream(pieces: Iterable<Buffer>): void {
    this.#isStreaming = true
    pipeline(Readable.from(pieces), this.#response, () => {})
  }

  /** Ends the response; the connection can be reused. */
  end(): void {
    this.#response.end()
  }

  /** Runs `action` once after `delay` milliseconds of the clock, if the client is still connected. */
  after(delay: number, action: () => void): void {
    const cancel = this.#schedule.after(delay, () => {
      this.#response.off('close', cancel)
      action()
    })
    this.#response.once('close', cancel)
  }

  /** Runs `action` once when the response has ended, successfully or not. */
  onClose(action: () => void): void {
    this.#response.once('close', action)
  }

  /** Closes the connection after the data that was written. */
  close(): void {
    this.#response.socket?.destroySoon()
  }

  /** Closes the connection at once and discards unsent data. */
  destroy(): void {
    this.#response.destroy()
  }

  /** Resets the connection; with https it can only be closed. */
  reset(): void {
    const { socket } = this.#response
    if (socket instanceof TLSSocket) socket.destroy()
    else socket?.resetAndDestroy()
  }

  #writeHead({ status, body, headers, phrase, clockAhead = 0 }: HttpResponse): boolean {
    const response = this.#response
    if (response.headersSent || response.destroyed) return false
    response.statusCode = status
    if (phrase !== undefined && STATUS_CODES[status] === undefined) response.statusMessage = phrase
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.setHeader('Content-Type', `${type}; charset=utf-8`)
    response.setHeader('Cache-Control', 'no-store')
    response.setHeader('Date', new Date(this.#schedule.clock.wall() + clockAhead).toUTCString())
    // One by one, so that a header of the response replaces ours regardless of case.
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
    this.#onStatus(status)
    return true
  }
}

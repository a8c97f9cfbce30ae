import { type ServerResponse, STATUS_CODES } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Schedule } from '../schedule.ts'
import { type Answer, textOf } from './answer.ts'

/** The way of one answer to its client. Whatever is begun on it ends when the client goes away. */
export class Wire {
  readonly #response: ServerResponse
  readonly #schedule: Schedule
  readonly #noteStatus: (status: number) => void

  /** `noteStatus` is told the status as soon as it goes out. */
  constructor(response: ServerResponse, schedule: Schedule, noteStatus: (status: number) => void) {
    this.#response = response
    this.#schedule = schedule
    this.#noteStatus = noteStatus
    response.on('error', () => {})
  }

  /** Sends a whole answer, unless there is one already or nobody is left to take it. */
  send(answer: Answer): void {
    const text = textOf(answer)
    if (this.#head(answer)) this.#response.end(text)
  }

  /**
   * Sends status and headers; the body is to follow, unless the answer is false: as with `send`.
   * @param headers instead of the answer's own
   */
  open(answer: Answer, headers: Readonly<Record<string, string>>): boolean {
    if (!this.#head({ ...answer, headers: { ...answer.headers, ...headers } })) return false
    this.#response.flushHeaders()
    return true
  }

  /** Sends a piece of the body. */
  write(piece: Buffer): void {
    this.#response.write(piece)
  }

  /** Sends pieces, each when there is room for it, then ends the answer. */
  stream(pieces: Iterable<Buffer>): void {
    pipeline(Readable.from(pieces), this.#response, () => {})
  }

  /** Ends the answer; the connection may serve the next one. */
  end(): void {
    this.#response.end()
  }

  /** Does `action` once after `delay` milliseconds of the clock, if the client still waits then. */
  after(delay: number, action: () => void): void {
    const callOff = this.#schedule.after(delay, () => {
      this.#response.off('close', callOff)
      action()
    })
    this.#response.once('close', callOff)
  }

  /** Does `action` once the answer is over, whatever became of it. */
  onClose(action: () => void): void {
    this.#response.once('close', action)
  }

  /** Closes the connection behind what is sent. */
  close(): void {
    this.#response.socket?.destroySoon()
  }

  /** Ends the connection at once, whatever is still to be sent. */
  cut(): void {
    this.#response.destroy()
  }

  /** Resets the connection; one with https can only be cut. */
  reset(): void {
    const { socket } = this.#response
    if (socket instanceof TLSSocket) socket.destroy()
    else socket?.resetAndDestroy()
  }

  #head({ status, body, headers, phrase }: Answer): boolean {
    const response = this.#response
    if (response.headersSent || response.destroyed) return false
    response.statusCode = status
    if (phrase !== undefined && STATUS_CODES[status] === undefined) response.statusMessage = phrase
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.setHeader('Content-Type', `${type}; charset=utf-8`)
    response.setHeader('Cache-Control', 'no-store')
    response.setHeader('Date', new Date(this.#schedule.clock.wall()).toUTCString())
    // One by one, so that a header of the answer replaces ours whatever its capitals.
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
    this.#noteStatus(status)
    return true
  }
}

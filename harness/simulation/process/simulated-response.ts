import type { IncomingHttpHeaders } from 'node:http'
import { systemError } from '../../clock/memory-connections.ts'
import { MemoryResponse } from '../../clock/memory-response.ts'

/** The answer as it arrives, or the error of its connection. */
export type Arrival =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | { readonly error: Error }

/**
 * The response of the simulated service to one request, with the members of Node's that `ResponseWriter` uses. What it sends arrives as a
 * whole, when it has ended, or as the error of a connection that was cut off.
 */
export class SimulatedResponse extends MemoryResponse {
  readonly #chunks: Buffer[] = []
  readonly #arrive: (arrival: Arrival) => void

  /** @param arrive is called once, unless nothing is ever sent */
  constructor(arrive: (arrival: Arrival) => void) {
    super()
    this.#arrive = arrive
  }

  flushHeaders(): void {
    this.headersSent = true
  }

  write(piece: Buffer): void {
    this.#chunks.push(piece)
  }

  end(text = ''): void {
    if (this.destroyed || this.writableEnded) return
    this.headersSent = true
    this.writableEnded = true
    this.#chunks.push(Buffer.from(text))
    const body = Buffer.concat(this.#chunks)
    const length = Number(this.headers['content-length'] ?? body.length)
    // The bytes after the announced length belong to no answer.
    this.#close(
      length > body.length
        ? { error: systemError('ECONNRESET') }
        : {
            status: this.statusCode,
            headers: this.headers,
            body: this.statusCode === 204 ? Buffer.alloc(0) : body.subarray(0, length),
          },
    )
  }

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    if (!this.writableEnded) this.#close({ error: systemError('ECONNRESET') })
  }

  #close(arrival: Arrival): void {
    this.#arrive(arrival)
    queueMicrotask(() => this.emit('close'))
  }
}

import { gzipSync } from 'node:zlib'
import { bodyText, type HttpResponse, ok } from '../http/http-response.ts'
import type { ResponseWriter } from '../http/response-writer.ts'
import { Random } from '../random.ts'
import type { Fault } from './active-faults.ts'

/** Delays each response by `ms` milliseconds of the clock, and by a random time of up to `jitter`. */
export function latency(ms: number, jitter = 0): Fault {
  const random = new Random(1)
  return {
    name: jitter > 0 ? `latency of ${ms} to ${ms + jitter} ms` : `latency of ${ms} ms`,
    needsConnection: false,
    send: (getResponse, writer) => {
      const response = getResponse()
      writer.after(ms + jitter * random.next(), () => writer.send(response))
    },
  }
}

/** Sends the headers at once, the body at this rate. */
export function bandwidth(bytesPerSecond: number): Fault {
  const piece = Math.ceil(bytesPerSecond / 10)
  return {
    name: `bandwidth of ${bytesPerSecond} bytes per second`,
    send: (getResponse, writer) => sendSlowly(getResponse(), writer, piece, (1000 * piece) / bytesPerSecond),
  }
}

/** Sends the headers at once, the body byte by byte. */
export function drip(msPerByte: number): Fault {
  return {
    name: `drip of a byte per ${msPerByte} ms`,
    send: (getResponse, writer) => sendSlowly(getResponse(), writer, 1, msPerByte),
  }
}

/**
 * The outcome of a request whose response is lost; the client cannot tell the two cases apart.
 *
 * `done`: the service executed the request, and the response was lost. `not done`: it never read the request.
 */
type RequestOutcome = 'done' | 'not done'

/**
 * Closes the connection after this many bytes of the body, although `Content-Length` has the whole length.
 */
export function cutAfter(bytes: number, outcome: RequestOutcome = 'done'): Fault {
  return {
    name: `cut after ${bytes} bytes, request ${outcome}`,
    send: (getResponse, writer) => {
      // A request that was never read has no response; use one of a gateway.
      const response = outcome === 'done' ? getResponse() : ok({ gateway: ' '.repeat(bytes) })
      const body = Buffer.from(bodyText(response))
      if (!writer.open(response, lengthHeader(body))) return
      if (bytes > 0) writer.write(body.subarray(0, bytes))
      writer.close()
    },
  }
}

/** Resets the connection instead of answering. */
export function reset(outcome: RequestOutcome = 'done'): Fault {
  return {
    name: `reset, request ${outcome}`,
    send: (getResponse, writer) => {
      if (outcome === 'done') getResponse()
      writer.reset()
    },
  }
}

/** Accepts the request and never answers. */
export function hang(outcome: RequestOutcome = 'not done'): Fault {
  return {
    name: `hang, request ${outcome}`,
    send: (getResponse) => {
      if (outcome === 'done') getResponse()
    },
  }
}

/** The statuses of responses that have no body. */
const bodiless: readonly number[] = [204, 304]

/**
 * Sends a `Content-Length` that is too large, or too small if `by` is negative.
 *
 * If too large, the missing bytes are never sent and the connection stays open; if too small, bytes follow
 * the end of the response.
 */
export function wrongLength(by: number): Fault {
  return {
    name: by > 0 ? `length ${by} bytes too large` : `length ${-by} bytes too small`,
    send: (getResponse, writer) => {
      const response = getResponse()
      const body = Buffer.from(bodyText(response))
      const length = Math.max(0, body.length + by)
      if (!writer.open(response, { 'Content-Length': String(length) })) return
      writer.write(body)
      // The client waits for no body of such a response (RFC 9110, 6.4.1).
      if (by <= 0 || bodiless.includes(response.status)) writer.end()
    },
  }
}

/** Pads the response with spaces to this many bytes; only its size is wrong. */
export function largeBody(bytes: number): Fault {
  return {
    name: `body of ${bytes} bytes`,
    send: (getResponse, writer) => {
      const response = getResponse()
      const body = Buffer.from(bodyText(response))
      const length = String(Math.max(body.length, bytes))
      if (writer.open(response, { 'Content-Length': length })) writer.stream(padBody(body, bytes))
    },
  }
}

/** Same as `largeBody`, but compressed: this many bytes when unpacked, about a thousandth of it when sent. */
export function gzipBomb(bytes: number): Fault {
  return {
    name: `gzip bomb of ${bytes} bytes`,
    send: (getResponse, writer) => {
      const response = getResponse()
      const body = Buffer.from(bodyText(response))
      if (writer.open(response, { 'Content-Encoding': 'gzip' }))
        writer.stream(gzipPieces(padBody(body, bytes)))
    },
  }
}

const spaces = Buffer.alloc(256 * 1024, ' ')

/** Yields the body in pieces, so that it is never in memory as a whole. */
function* padBody(body: Buffer, bytes: number): Iterable<Buffer> {
  yield body
  for (let left = bytes - body.length; left > 0; left -= spaces.length) yield spaces.subarray(0, left)
}

/** Yields compressed pieces; gzip allows to concatenate them, so equal pieces are compressed only once. */
function* gzipPieces(pieces: Iterable<Buffer>): Iterable<Buffer> {
  const compressedSpaces = gzipSync(spaces)
  for (const piece of pieces) yield piece.length === spaces.length ? compressedSpaces : gzipSync(piece)
}

function sendSlowly(response: HttpResponse, writer: ResponseWriter, size: number, interval: number): void {
  const body = Buffer.from(bodyText(response))
  const sendFrom = (start: number) => {
    if (start >= body.length) writer.end()
    else {
      writer.after(interval, () => {
        writer.write(body.subarray(start, start + size))
        sendFrom(start + size)
      })
    }
  }
  if (writer.open(response, lengthHeader(body))) sendFrom(0)
}

function lengthHeader(body: Buffer): Record<string, string> {
  return { 'Content-Length': String(body.length) }
}

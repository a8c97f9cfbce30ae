import { gzipSync } from 'node:zlib'
import { type Answer, ok, textOf } from '../http/http-response.ts'
import type { Wire } from '../http/response-writer.ts'
import { Random } from '../random.ts'
import type { Fault } from './fault.ts'

/** Delays each response by `ms` milliseconds of the clock, and by a random time of up to `jitter`. */
export function latency(ms: number, jitter = 0): Fault {
  const random = new Random(1)
  return {
    name: jitter > 0 ? `latency of ${ms} to ${ms + jitter} ms` : `latency of ${ms} ms`,
    send: (answer, wire) => {
      const said = answer()
      wire.after(ms + jitter * random.next(), () => wire.send(said))
    },
  }
}

/** Sends the headers at once, the body at this rate. */
export function bandwidth(bytesPerSecond: number): Fault {
  const piece = Math.ceil(bytesPerSecond / 10)
  return {
    name: `bandwidth of ${bytesPerSecond} bytes per second`,
    send: (answer, wire) => trickle(answer(), wire, piece, (1000 * piece) / bytesPerSecond),
  }
}

/** Sends the headers at once, the body byte by byte. */
export function drip(msPerByte: number): Fault {
  return {
    name: `drip of a byte per ${msPerByte} ms`,
    send: (answer, wire) => trickle(answer(), wire, 1, msPerByte),
  }
}

/**
 * The outcome of a request whose response is lost; the client cannot tell the two cases apart.
 *
 * `done`: the service executed the request, and the response was lost. `not done`: it never read the request.
 */
export type Fate = 'done' | 'not done'

/**
 * Closes the connection after this many bytes of the body, although `Content-Length` has the whole length.
 */
export function cutAfter(bytes: number, fate: Fate = 'done'): Fault {
  return {
    name: `cut after ${bytes} bytes, request ${fate}`,
    send: (answer, wire) => {
      // A request that was never read has no response; use one of a gateway.
      const said = fate === 'done' ? answer() : ok({ gateway: ' '.repeat(bytes) })
      const body = Buffer.from(textOf(said))
      if (!wire.open(said, lengthOf(body))) return
      if (bytes > 0) wire.write(body.subarray(0, bytes))
      wire.close()
    },
  }
}

/** Resets the connection instead of answering. */
export function reset(fate: Fate = 'done'): Fault {
  return {
    name: `reset, request ${fate}`,
    send: (answer, wire) => {
      if (fate === 'done') answer()
      wire.reset()
    },
  }
}

/** Accepts the request and never answers. */
export function hang(fate: Fate = 'not done'): Fault {
  return {
    name: `hang, request ${fate}`,
    send: (answer) => {
      if (fate === 'done') answer()
    },
  }
}

/**
 * Sends a `Content-Length` that is too large, or too small if `by` is negative.
 *
 * If too large, the missing bytes are never sent and the connection stays open; if too small, bytes follow
 * the end of the response.
 */
export function wrongLength(by: number): Fault {
  return {
    name: by > 0 ? `length ${by} bytes too large` : `length ${-by} bytes too small`,
    send: (answer, wire) => {
      const said = answer()
      const body = Buffer.from(textOf(said))
      const length = Math.max(0, body.length + by)
      if (!wire.open(said, { 'Content-Length': String(length) })) return
      wire.write(body)
      if (by <= 0) wire.end()
    },
  }
}

/** Pads the response with spaces to this many bytes; only its size is wrong. */
export function largeBody(bytes: number): Fault {
  return {
    name: `body of ${bytes} bytes`,
    send: (answer, wire) => {
      const said = answer()
      const body = Buffer.from(textOf(said))
      const length = String(Math.max(body.length, bytes))
      if (wire.open(said, { 'Content-Length': length })) wire.stream(padded(body, bytes))
    },
  }
}

/** Same as `largeBody`, but compressed: this many bytes when unpacked, about a thousandth of it when sent. */
export function gzipBomb(bytes: number): Fault {
  return {
    name: `gzip bomb of ${bytes} bytes`,
    send: (answer, wire) => {
      const said = answer()
      const body = Buffer.from(textOf(said))
      if (wire.open(said, { 'Content-Encoding': 'gzip' })) wire.stream(zipped(padded(body, bytes)))
    },
  }
}

const spaces = Buffer.alloc(256 * 1024, ' ')

/** Yields the body in pieces, so that it is never in memory as a whole. */
function* padded(body: Buffer, bytes: number): Iterable<Buffer> {
  yield body
  for (let left = bytes - body.length; left > 0; left -= spaces.length) yield spaces.subarray(0, left)
}

/** Yields compressed pieces; gzip allows to concatenate them, so equal pieces are compressed only once. */
function* zipped(pieces: Iterable<Buffer>): Iterable<Buffer> {
  const zippedSpaces = gzipSync(spaces)
  for (const piece of pieces) yield piece.length === spaces.length ? zippedSpaces : gzipSync(piece)
}

function trickle(said: Answer, wire: Wire, size: number, interval: number): void {
  const body = Buffer.from(textOf(said))
  const sendFrom = (start: number) => {
    if (start >= body.length) wire.end()
    else {
      wire.after(interval, () => {
        wire.write(body.subarray(start, start + size))
        sendFrom(start + size)
      })
    }
  }
  if (wire.open(said, lengthOf(body))) sendFrom(0)
}

function lengthOf(body: Buffer): Record<string, string> {
  return { 'Content-Length': String(body.length) }
}

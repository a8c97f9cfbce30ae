import { gzipSync } from 'node:zlib'
import { type Answer, ok, textOf } from '../http/answer.ts'
import type { Wire } from '../http/wire.ts'
import { Random } from '../world/random.ts'
import type { Fault } from './fault.ts'

/** Every answer takes `ms` milliseconds of the clock more, and up to `jitter` on top by chance. */
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

/** The head comes at once, the body at this rate. */
export function bandwidth(bytesPerSecond: number): Fault {
  const piece = Math.ceil(bytesPerSecond / 10)
  return {
    name: `bandwidth of ${bytesPerSecond} bytes per second`,
    send: (answer, wire) => trickle(answer(), wire, piece, (1000 * piece) / bytesPerSecond),
  }
}

/** The head comes at once, the body byte by byte. */
export function drip(msPerByte: number): Fault {
  return {
    name: `drip of a byte per ${msPerByte} ms`,
    send: (answer, wire) => trickle(answer(), wire, 1, msPerByte),
  }
}

/**
 * What became of a request whose answer is lost; the client cannot tell the one from the other.
 *
 * `done`: the service did what was asked, and the answer was lost. `not done`: it never read the request.
 */
export type Fate = 'done' | 'not done'

/** The connection closes after so many bytes of the body, with its whole length promised. */
export function cutAfter(bytes: number, fate: Fate = 'done'): Fault {
  return {
    name: `cut after ${bytes} bytes, request ${fate}`,
    send: (answer, wire) => {
      // Of a request that nobody read there is no answer to begin with: a gateway's own stands in.
      const said = fate === 'done' ? answer() : ok({ gateway: ' '.repeat(bytes) })
      const body = Buffer.from(textOf(said))
      if (!wire.open(said, lengthOf(body))) return
      if (bytes > 0) wire.write(body.subarray(0, bytes))
      wire.close()
    },
  }
}

/** The connection is reset instead of an answer. */
export function reset(fate: Fate = 'done'): Fault {
  return {
    name: `reset, request ${fate}`,
    send: (answer, wire) => {
      if (fate === 'done') answer()
      wire.reset()
    },
  }
}

/** The request is taken, and no answer ever comes. */
export function hang(fate: Fate = 'not done'): Fault {
  return {
    name: `hang, request ${fate}`,
    send: (answer) => {
      if (fate === 'done') answer()
    },
  }
}

/**
 * The `Content-Length` is too large, or with a negative `by` too small.
 *
 * What is missing never comes and the connection stays open; what is too much follows the end of the answer.
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

/** The answer with spaces behind it up to so many bytes: right in all but its size. */
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

/** The same as `largeBody`, but compressed: so many bytes once it is unpacked, a thousandth of it on the wire. */
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

/** Made piece by piece, so that it is never in memory as a whole. */
function* padded(body: Buffer, bytes: number): Iterable<Buffer> {
  yield body
  for (let left = bytes - body.length; left > 0; left -= spaces.length) yield spaces.subarray(0, left)
}

/** Gzip allows one compressed piece after the other, so that the same piece need not be compressed twice. */
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

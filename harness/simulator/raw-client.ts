import { Agent, request } from 'node:http'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** The bytes of a response, and the way in which it ended. */
export interface RawReply {
  /** 0 until the head has arrived. */
  status: number
  headers: Readonly<Record<string, unknown>>
  body: Buffer
  /** `open` while more may come, `complete`, or the code of the error that ended it: `ECONNRESET`. */
  end: string
}

/** Sends a request without redirects, decompression or limits. The returned object is updated as bytes arrive. */
export function receive(
  simulator: Simulator,
  path: string,
  { userToken = '', sessionToken = '' } = {},
): { received: RawReply; ended: Promise<RawReply>; leave: () => void } {
  const received: RawReply = { status: 0, headers: {}, body: Buffer.alloc(0), end: 'open' }
  const headers = { 'User-Token': userToken, 'Session-Token': sessionToken }
  const agent = new Agent({ keepAlive: false })
  const asking = request(simulator.url + path, { headers, agent })
  const ended = new Promise<RawReply>((resolve) => {
    const end = (how: string) => {
      if (received.end === 'open') received.end = how
      resolve(received)
    }
    asking.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    asking.on('response', (response) => {
      received.status = response.statusCode ?? 0
      received.headers = response.headers
      response.on('data', (piece: Buffer) => {
        received.body = Buffer.concat([received.body, piece])
      })
      response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      response.on('end', () => end('complete'))
      response.on('close', () => end('closed'))
    })
    asking.on('close', () => {
      if (received.status === 0) end('closed')
    })
  })
  asking.end()
  return { received, ended, leave: () => asking.destroy() }
}

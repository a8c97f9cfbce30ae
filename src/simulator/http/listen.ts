import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A server that listens. */
export interface Listening {
  readonly port: number
  /** Closes the server and all its sockets at once; may be called again. */
  end(): Promise<void>
}

/**
 * Lets a server listen on 127.0.0.1.
 *
 * Rejects with one sentence when it cannot; the error's `code` is the system's, `EADDRINUSE` for a taken port.
 */
export function listen(server: Server, port: number): Promise<Listening> {
  // A server that speaks https does not know the sockets that have not shaken hands yet.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const end = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(unableToListen(error, port)))
    server.listen(port, '127.0.0.1', () => {
      server.on('error', () => {})
      resolve({ port: (server.address() as AddressInfo).port, end })
    })
  })
}

function unableToListen(error: NodeJS.ErrnoException, port: number): Error {
  const reason =
    error.code === 'EADDRINUSE' ? 'it is already in use' : `the system says ${error.code ?? 'no'}`
  return Object.assign(new Error(`The simulator cannot listen on port ${port} of 127.0.0.1: ${reason}.`), {
    code: error.code,
  })
}

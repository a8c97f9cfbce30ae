import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A listening server. */
export interface ListeningServer {
  readonly port: number
  /** Closes the server and all its sockets at once; can be called repeatedly. */
  end(): Promise<void>
}

/**
 * Makes a server listen on 127.0.0.1.
 *
 * Rejects with one sentence if it fails; `code` of the error is the system's, e.g. `EADDRINUSE` for a used
 * port.
 */
export function listen(server: Server, port: number): Promise<ListeningServer> {
  // Tracked here because an https server does not report sockets before their handshake.
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
    server.once('error', (error: NodeJS.ErrnoException) => reject(createListenError(error, port)))
    server.listen(port, '127.0.0.1', () => {
      server.on('error', () => {})
      resolve({ port: (server.address() as AddressInfo).port, end })
    })
  })
}

function createListenError(error: NodeJS.ErrnoException, port: number): Error {
  const reason =
    error.code === 'EADDRINUSE'
      ? 'it is already in use; choose another port'
      : `system error ${error.code ?? 'unknown'}`
  return Object.assign(new Error(`The simulator cannot listen on port ${port} of 127.0.0.1: ${reason}.`), {
    code: error.code,
  })
}

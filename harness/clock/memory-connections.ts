import type { NetConnectOpts } from 'node:net'
import { Duplex } from 'node:stream'
import { plainConnector } from '../../src/account/http/http-client.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

const { connect } = plainConnector

/**
 * The simulators that clients in this process reach without sockets, by their ports. Nothing else keeps the simulator
 * of a past test, and with it the account that the test had.
 */
const simulators = new Map<number, WeakRef<Simulator>>()

let nextPort = 0

/**
 * Lets clients in this process reach a simulator through memory, until it is closed.
 * @param port the port at which they reach it
 */
export function connectInMemory(simulator: Simulator, port = Number(new URL(simulator.url).port)): void {
  simulators.set(port, new WeakRef(simulator))
  plainConnector.connect = connectToPort
}

/** Returns the client's end of a new connection to a simulator, without a socket; undefined if it is closed. */
export function connectTo(simulator: Simulator): Duplex | undefined {
  const [client, server] = createPair(Number(new URL(simulator.url).port))
  return simulator.server.listening && simulator.server.emit('connection', server) ? client : undefined
}

/** Connects to a simulator in memory, and to everything else over TCP. */
function connectToPort(options: NetConnectOpts): Duplex {
  const port = 'port' in options ? Number(options.port) : 0
  const simulator = simulators.get(port)?.deref()
  // One that is closed may be opened again.
  return (simulator && connectTo(simulator)) ?? connect(options)
}

/** Returns the two ends of a connection to a port; the other port is one that no socket can have. */
function createPair(port: number): [MemorySocket, MemorySocket] {
  nextPort += 1
  const clientPort = 0x10000 + nextPort
  const client = new MemorySocket(clientPort, port, false)
  const server = new MemorySocket(port, clientPort, true)
  client.peer = server
  server.peer = client
  return [client, server]
}

/** One end of a connection in memory, with the members of a socket that HTTP uses. */
class MemorySocket extends Duplex {
  readonly connecting = false
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort: number
  readonly localPort: number
  peer: MemorySocket | undefined
  #onRead: (() => void) | undefined

  constructor(localPort: number, remotePort: number, allowHalfOpen: boolean) {
    super({ allowHalfOpen })
    this.localPort = localPort
    this.remotePort = remotePort
  }

  override _read(): void {
    const resume = this.#onRead
    this.#onRead = undefined
    resume?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error) => void): void {
    // The other end does not read in the middle of a write, as with a socket.
    process.nextTick(() => {
      const { peer } = this
      if (peer === undefined || peer.destroyed) callback(systemError('EPIPE'))
      else if (peer.push(chunk)) callback()
      else peer.#onRead = callback
    })
  }

  override _final(callback: () => void): void {
    process.nextTick(() => {
      if (this.peer?.destroyed === false) this.peer.push(null)
      callback()
    })
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#onRead?.()
    // The other end sees that this one has ended, unless it was reset.
    process.nextTick(() => {
      if (this.peer?.destroyed === false && !this.peer.readableEnded) this.peer.push(null)
    })
    callback(error)
  }

  /** Ends the connection with an error at the other end. */
  resetAndDestroy(): this {
    this.peer?.destroy(systemError('ECONNRESET'))
    return this.destroy()
  }

  /** Ends the connection when everything is written. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  setTimeout(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

/** Returns an error as the system reports it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

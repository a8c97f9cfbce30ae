import { EventEmitter } from 'node:events'

/** The first port that a process gets when it asks for any. */
const firstPort = 50_000

/** An HTTP server that a process has opened for itself, with the members of Node's that the product uses. */
class LocalServer extends EventEmitter {
  readonly #servers: LocalServers
  #port = 0

  constructor(servers: LocalServers) {
    super()
    this.#servers = servers
  }

  listen(_port: number, _host: string, onListening: () => void): void {
    this.#port = this.#servers.open(this)
    this.#servers.queue(onListening)
  }

  address(): { port: number } {
    return { port: this.#port }
  }

  close(onClose: () => void): void {
    this.#servers.close(this.#port)
    this.#servers.queue(onClose)
  }
}

/** The servers that a process has opened for itself, such as that of a rehearsal: nothing else reaches them. */
export class LocalServers {
  /** Lets a piece of work of the process happen in a later step. */
  readonly queue: (work: () => void) => void
  readonly #servers = new Map<number, LocalServer>()
  #opened = 0

  constructor(queue: (work: () => void) => void) {
    this.queue = queue
  }

  /** Creates a server, as Node's `createServer` does; it does not listen yet. */
  create(onRequest: (...values: never[]) => void): LocalServer {
    return new LocalServer(this).on('request', onRequest as never)
  }

  /** Lets a server listen, and returns its port. */
  open(server: LocalServer): number {
    const port = firstPort + this.#opened
    this.#opened += 1
    this.#servers.set(port, server)
    return port
  }

  close(port: number): void {
    this.#servers.delete(port)
  }

  /** Returns true for the address of a server that this process has closed. */
  isClosed({ hostname, port }: URL): boolean {
    const nth = Number(port) - firstPort
    return hostname === '127.0.0.1' && nth >= 0 && nth < this.#opened && !this.#servers.has(Number(port))
  }

  /** Returns the server at an address; undefined if none of this process listens there. */
  at({ hostname, port }: URL): LocalServer | undefined {
    return hostname === '127.0.0.1' ? this.#servers.get(Number(port)) : undefined
  }
}

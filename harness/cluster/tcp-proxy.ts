import type { AddressInfo } from 'node:net'
import { createServer, connect as open, type Server, type Socket } from 'node:net'

/**
 * A way to a server that can be slow, lead to another one, and be cut as a network is cut: nothing is refused, and nothing arrives. What
 * was sent meanwhile arrives when the way is mended, also what its sender has given up.
 */
export class TcpProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: number
  #isCut = false
  /** Works that wait for the end of the cut, in order. */
  #held: (() => void)[] = []
  /** Milliseconds of each way. */
  #delay = 0
  /** Works that are on their way, in order. */
  #delayed: (() => void)[] = []
  readonly #timers = new Set<NodeJS.Timeout>()

  private constructor(server: Server, target: number) {
    this.#server = server
    this.#target = target
    server.on('connection', (client) => this.#join(client))
  }

  /** Starts a way to a port of loopback; close it after the test. */
  static async start(port: number): Promise<TcpProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new TcpProxy(server, port)
  }

  /** The address for the settings of a cluster. */
  get address(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
  }

  mend(): void {
    this.#isCut = false
    for (const pass of this.#held.splice(0)) pass()
  }

  /** Makes each answer take `ms` milliseconds longer, half of them there and half of them back; 0 ends it. */
  delayAnswers(ms: number): void {
    this.#delay = ms / 2
  }

  /** Ends all connections; the next ones lead to another port. */
  leadTo(target: number): void {
    this.#target = target
    this.#held = []
    this.#dropDelayed()
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.#dropDelayed()
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket): void {
    const server = open(this.#target, '127.0.0.1')
    this.#forward(client, server)
    this.#forward(server, client)
  }

  #forward(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.on('data', (chunk) => this.#send(() => to.write(chunk)))
    from.on('close', () => {
      this.#sockets.delete(from)
      this.#send(() => to.end())
    })
    // A socket that fails is closed too.
    from.on('error', () => {})
  }

  /** Passes on a step after its way, and never before an earlier one. */
  #send(step: () => void): void {
    if (this.#delay === 0 && this.#delayed.length === 0) {
      this.#pass(step)
      return
    }
    this.#delayed.push(step)
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      const oldest = this.#delayed.shift()
      if (oldest !== undefined) this.#pass(oldest)
    }, this.#delay)
    this.#timers.add(timer)
  }

  #dropDelayed(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#delayed = []
  }

  #pass(step: () => void): void {
    if (this.#isCut) this.#held.push(step)
    else step()
  }
}

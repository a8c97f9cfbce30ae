import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** A Sentinel that sends all clients to one server of loopback, or accepts their connections and never answers. */
export class FakeSentinel {
  readonly #server: Server
  readonly #sockets: Socket[] = []

  private constructor(server: Server, port: number | undefined) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.push(socket)
      // The client ends connections as it likes.
      socket.on('error', () => {})
      socket.on('data', (data) => {
        if (port !== undefined) socket.write(answersTo(`${data}`, port))
      })
    })
  }

  /**
   * Starts a Sentinel; close it after the test.
   * @param port of the server in charge; undefined for a Sentinel that does not answer
   */
  static async start(port?: number): Promise<FakeSentinel> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new FakeSentinel(server, port)
  }

  /** The address for the settings of a cluster. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The number of connections that were accepted. */
  get connections(): number {
    return this.#sockets.length
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Returns the answers to the commands of a packet: the server in charge, or an empty list. */
function answersTo(packet: string, port: number): string {
  const commands = packet.split(/\*\d+\r\n/).slice(1)
  const inCharge = `*2\r\n$9\r\n127.0.0.1\r\n$${`${port}`.length}\r\n${port}\r\n`
  return commands.map((command) => (/get-master-addr-by-name/i.test(command) ? inCharge : '*0\r\n')).join('')
}

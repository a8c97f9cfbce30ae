import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FlowMessage, Recorder } from '../recorder.ts'

/** A message, as JSON without types, and the id of the node that sent it. */
export interface RecordedMessage {
  from: string
  message: FlowMessage
}

/** An HTTP server that records the messages which the flows of a Node-RED process post; see `withRecorder`. */
export class MessageServer {
  readonly url: string
  readonly #server: Server
  readonly #all = new Recorder<RecordedMessage>('messages')
  readonly #bySender = new Map<string, Recorder<FlowMessage>>()

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    server.on('request', (request, response) => {
      void read(request).then((body) => {
        response.writeHead(204).end()
        // A process that is killed may send half a message.
        if (body !== undefined) this.#record(JSON.parse(body))
      })
    })
  }

  /** Starts a server on a free loopback port; close it after the test. */
  static async start(): Promise<MessageServer> {
    const server = createServer()
    // A process that stood still for a while would write into a connection that ends at this moment, and lose a message.
    server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new MessageServer(server)
  }

  /** The messages of all nodes, the oldest first. */
  get all(): readonly RecordedMessage[] {
    return this.#all.all
  }

  /** The messages of one node. */
  from(node: string): Recorder<FlowMessage> {
    const recorder = this.#bySender.get(node) ?? new Recorder(`messages from ${node}`)
    this.#bySender.set(node, recorder)
    return recorder
  }

  /** Waits until a condition holds that depends on the messages of several nodes. */
  until(condition: () => boolean, what = `${condition}`): Promise<void> {
    return this.#all.until(condition, () => what)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  #record(recorded: RecordedMessage): void {
    this.from(recorded.from).add(recorded.message)
    this.#all.add(recorded)
  }
}

function read(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.on('error', () => resolve(undefined))
  })
}

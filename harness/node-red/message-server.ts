import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Milliseconds for which a message is waited for in vain: on a busy machine its Node-RED takes long to start. */
const patience = 50_000

/** A message of a flow, as it arrives here: JSON without types. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into it, and a wrong look fails the test
export type FlowMessage = any

/** A message and the node that sent it. */
export interface RecordedMessage {
  from: string
  message: FlowMessage
}

/** Where flows of a Node-RED process post their messages, so that a test can wait for them. */
export class MessageServer {
  readonly url: string
  readonly #server: Server
  readonly #all: RecordedMessage[] = []
  readonly #bySender = new Map<string, FlowMessage[]>()
  readonly #watchers = new Set<() => void>()

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    server.on('request', (request, response) => {
      void read(request).then((body) => {
        response.writeHead(204).end()
        // What a killed process sent half is nothing.
        if (body === undefined) return
        this.#take(JSON.parse(body))
        for (const watcher of [...this.#watchers]) watcher()
      })
    })
  }

  /** Opens a sink on a free loopback port; close it after the test. */
  static async open(): Promise<MessageServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new MessageServer(server)
  }

  /** Everything that came, oldest first. */
  get all(): readonly RecordedMessage[] {
    return this.#all
  }

  /** What came from one node. */
  from(node: string): FlowMessage[] {
    return [...(this.#bySender.get(node) ?? [])]
  }

  /** Waits until a message from this node meets the condition; it may have come already. */
  async first(node: string, condition: (message: FlowMessage) => boolean = () => true): Promise<FlowMessage> {
    const found = () => this.from(node).find(condition)
    await this.until(`a message from ${node}`, () => found() !== undefined)
    return found()
  }

  /** Waits until the condition holds; it is looked at whenever a message comes. */
  until(what: string, condition: () => boolean, within = patience): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!condition()) return
        end()
        resolve()
      }
      const deadline = setTimeout(() => {
        end()
        reject(new Error(`Waited ${within / 1000} s in vain for ${what}. Last came: ${this.#last()}`))
      }, within)
      const end = () => {
        clearTimeout(deadline)
        this.#watchers.delete(look)
      }
      this.#watchers.add(look)
      look()
    })
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  #take(sunk: RecordedMessage): void {
    this.#all.push(sunk)
    const before = this.#bySender.get(sunk.from)
    if (before === undefined) this.#bySender.set(sunk.from, [sunk.message])
    else before.push(sunk.message)
  }

  #last(): string {
    return this.#all.length === 0 ? 'nothing' : JSON.stringify(this.#all.slice(-3)).slice(0, 1500)
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

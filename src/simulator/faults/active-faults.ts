import type { Accounts } from '../http/auth/accounts.ts'
import type { HttpResponse } from '../http/http-response.ts'
import type { Processes } from '../http/processes.ts'
import type { ResponseWriter } from '../http/response-writer.ts'
import type { World } from '../world/world.ts'

/** A fault of the service or of the network: it changes the response, the way it is sent, or what the service knows. */
export interface Fault {
  /** Plain name of the fault: `cut after 100 bytes`. */
  readonly name: string
  /**
   * Changes the simulated world while the fault is active, for one operation or all of them; returns the function that ends
   * the change.
   */
  begin?(world: World, operation: string | undefined): () => void
  /**
   * Returns a changed response, made from the original one or from the result of an earlier fault.
   *
   * The request is executed only if `getOriginal` is called.
   */
  answer?(getOriginal: () => HttpResponse, context: RequestContext): HttpResponse
  /** Sends the response in its own way. Everything that it starts must end with `writer`. */
  send?(getResponse: () => HttpResponse, writer: ResponseWriter): void
  /**
   * True if its response is more than a status, headers and a body, so that the client must get it over a connection;
   * when absent, true if it has `send`.
   */
  readonly needsConnection?: boolean
}

/** The request that a fault applies to. */
export interface RequestContext {
  /**
   * `version`, `auth`, `panel/login`, `status`, `events`, ...; empty if the service has no such operation.
   */
  readonly operation: string
  /** Without query. */
  readonly path: string
  /** The text that came with the request; that of a sign-in has secrets. */
  readonly body: string
  /** Sign-ins of the server. */
  readonly accounts: Accounts
  /** The commands in progress. */
  readonly processes: Processes
}

/** The scope of a fault. */
export interface FaultScope {
  /** The only operation; default: all requests, including those for unknown paths. */
  readonly operation?: string
  /** Number of requests; default: unlimited, until the fault is ended. */
  readonly times?: number
}

interface Entry {
  readonly fault: Fault
  readonly operation: string | undefined
  /** Number of requests that the fault still applies to. */
  remaining: number
  /** True for a scripted response: the next one of its operation waits until this one is used up. */
  readonly isScripted: boolean
  /** Connections on which the fault is still sending, or will never send. */
  readonly connections: Set<ResponseWriter>
  /** Ends what the fault changes in the world. */
  readonly endInWorld: () => void
}

/** An active fault. */
interface ActiveFault {
  readonly name: string
  /** Undefined for all requests to the service. */
  readonly operation: string | undefined
  /** Ends the fault and closes the connections that it still holds open. */
  end(): void
}

/**
 * The active faults of a simulator.
 *
 * The next scripted response applies to a request first, then all matching faults in the order in which they
 * were started. Each changes the response of the one before; the last one with a `send` method sends it.
 */
export class ActiveFaults {
  readonly #world: World
  readonly #entries = new Set<Entry>()

  constructor(world: World) {
    this.#world = world
  }

  /** The active faults, oldest first, without scripted responses. */
  get running(): readonly ActiveFault[] {
    return [...this.#entries]
      .filter(({ isScripted, remaining }) => !isScripted && remaining > 0)
      .map((entry) => ({
        name: entry.fault.name,
        operation: entry.operation,
        end: () => this.#end(entry),
      }))
  }

  /** True if one of them, or a queued response, needs a connection to the client. */
  get needConnection(): boolean {
    return [...this.#entries].some(
      ({ fault, remaining }) => remaining > 0 && (fault.needsConnection ?? fault.send !== undefined),
    )
  }

  /** Starts a fault; returns a function that ends it and closes the connections that it still holds open. */
  start(fault: Fault, { operation, times = Number.POSITIVE_INFINITY }: FaultScope = {}): () => void {
    const entry = {
      fault,
      operation,
      remaining: times,
      isScripted: false,
      connections: new Set<ResponseWriter>(),
      endInWorld: fault.begin?.(this.#world, operation) ?? (() => {}),
    }
    this.#entries.add(entry)
    return () => this.#end(entry)
  }

  /** Ends the faults of one operation, or all; closes the connections that they still hold open. */
  clear(operation?: string): void {
    for (const entry of this.#entries) {
      if (!entry.isScripted && (operation ?? entry.operation) === entry.operation) this.#end(entry)
    }
  }

  /** Queues a fault for the next `times` requests to an operation, after those queued before. */
  enqueue(fault: Fault, operation: string, times: number): void {
    const endInWorld = () => {}
    this.#entries.add({
      fault,
      operation,
      remaining: times,
      isScripted: true,
      connections: new Set(),
      endInWorld,
    })
  }

  /**
   * Removes the queued faults of one operation, or all; requests that are already being answered are not
   * affected.
   */
  clearQueue(operation?: string): void {
    for (const entry of this.#entries) {
      if (entry.isScripted && (operation ?? entry.operation) === entry.operation) this.#entries.delete(entry)
    }
  }

  /** Answers a request with the original response, or with the one that the matching faults make of it. */
  answer(getOriginal: () => HttpResponse, context: RequestContext, writer: ResponseWriter): void {
    const matches = this.#match(context.operation)
    const createResponse = matches.reduce(
      (before, { fault }) =>
        () =>
          fault.answer?.(before, context) ?? before(),
      getOriginal,
    )
    const sender = matches.findLast(({ fault }) => fault.send)
    if (sender) this.#trackConnection(writer, sender)
    try {
      if (sender?.fault.send) sender.fault.send(createResponse, writer)
      else writer.send(createResponse())
    } finally {
      for (const entry of matches) this.#removeUsedUp(entry)
    }
  }

  /** Returns the faults that apply to a request to `operation`, and counts this request for each of them. */
  #match(operation: string): readonly Entry[] {
    const matching = [...this.#entries].filter(
      (entry) => entry.remaining > 0 && (entry.operation ?? operation) === operation,
    )
    const scripted = matching.find((entry) => entry.isScripted)
    const matches = [...(scripted ? [scripted] : []), ...matching.filter((entry) => !entry.isScripted)]
    for (const entry of matches) entry.remaining -= 1
    return matches
  }

  #trackConnection(writer: ResponseWriter, sender: Entry): void {
    sender.connections.add(writer)
    writer.onClose(() => {
      sender.connections.delete(writer)
      this.#removeUsedUp(sender)
    })
  }

  /**
   * Removes a used-up fault, but not before its connections are closed, so that `end` can still close them.
   */
  #removeUsedUp(entry: Entry): void {
    if (entry.remaining <= 0 && entry.connections.size === 0) this.#end(entry)
  }

  #end(entry: Entry): void {
    this.#entries.delete(entry)
    entry.endInWorld()
    for (const writer of entry.connections) writer.destroy()
  }
}

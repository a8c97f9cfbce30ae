import type { HttpResponse } from '../http/http-response.ts'
import type { ResponseWriter } from '../http/response-writer.ts'
import type { Fault, FaultScope, RequestContext } from './fault.ts'

interface Entry {
  readonly fault: Fault
  readonly operation: string | undefined
  /** Number of requests that the fault still applies to. */
  remaining: number
  /** True for a scripted response: the next one of its operation waits until this one is used up. */
  readonly isScripted: boolean
  /** Connections on which the fault is still sending, or will never send. */
  readonly connections: Set<ResponseWriter>
}

/** An active fault. */
export interface ActiveFault {
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
  readonly #entries = new Set<Entry>()

  /** The active faults, oldest first, without scripted responses. */
  get running(): readonly ActiveFault[] {
    return [...this.#entries]
      .filter(({ isScripted, remaining }) => !isScripted && remaining > 0)
      .map((active) => ({
        name: active.fault.name,
        operation: active.operation,
        end: () => this.#end(active),
      }))
  }

  /** Starts a fault; returns a function that ends it and closes the connections that it still holds open. */
  start(fault: Fault, { operation, times = Number.POSITIVE_INFINITY }: FaultScope = {}): () => void {
    const active = {
      fault,
      operation,
      remaining: times,
      isScripted: false,
      connections: new Set<ResponseWriter>(),
    }
    this.#entries.add(active)
    return () => this.#end(active)
  }

  /** Ends the faults of one operation, or all; closes the connections that they still hold open. */
  clear(operation?: string): void {
    for (const active of this.#entries) {
      if (!active.isScripted && (operation ?? active.operation) === active.operation) this.#end(active)
    }
  }

  /** Queues a fault for the next `times` requests to an operation, after those queued before. */
  enqueue(fault: Fault, operation: string, times: number): void {
    this.#entries.add({ fault, operation, remaining: times, isScripted: true, connections: new Set() })
  }

  /**
   * Removes the queued faults of one operation, or all; requests that are already being answered are not
   * affected.
   */
  clearQueue(operation?: string): void {
    for (const active of this.#entries) {
      if (active.isScripted && (operation ?? active.operation) === active.operation)
        this.#entries.delete(active)
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
    for (const active of matches) this.#removeUsedUp(active)
    if (sender?.fault.send) sender.fault.send(createResponse, writer)
    else writer.send(createResponse())
  }

  /** Returns the faults that apply to a request to `operation`, and counts this request for each of them. */
  #match(operation: string): readonly Entry[] {
    const matching = [...this.#entries].filter(
      (active) => active.remaining > 0 && (active.operation ?? operation) === operation,
    )
    const scripted = matching.find((active) => active.isScripted)
    const matches = [...(scripted ? [scripted] : []), ...matching.filter((active) => !active.isScripted)]
    for (const active of matches) active.remaining -= 1
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
  #removeUsedUp(active: Entry): void {
    if (active.remaining <= 0 && active.connections.size === 0) this.#entries.delete(active)
  }

  #end(active: Entry): void {
    this.#entries.delete(active)
    for (const writer of active.connections) writer.cut()
  }
}

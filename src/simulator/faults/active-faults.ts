import type { Answer } from '../http/http-response.ts'
import type { Wire } from '../http/response-writer.ts'
import type { Call, Fault, Where } from './fault.ts'

interface Active {
  readonly fault: Fault
  readonly operation: string | undefined
  /** Number of requests that the fault still applies to. */
  left: number
  /** True for a scripted response: the next one of its operation waits until this one is used up. */
  readonly inTurn: boolean
  /** Connections on which the fault is still sending, or will never send. */
  readonly sending: Set<Wire>
}

/** An active fault. */
export interface Running {
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
export class Faults {
  readonly #active = new Set<Active>()

  /** The active faults, oldest first, without scripted responses. */
  get running(): readonly Running[] {
    return [...this.#active]
      .filter(({ inTurn, left }) => !inTurn && left > 0)
      .map((active) => ({
        name: active.fault.name,
        operation: active.operation,
        end: () => this.#end(active),
      }))
  }

  /** Starts a fault; returns a function that ends it and closes the connections that it still holds open. */
  start(fault: Fault, { operation, times = Number.POSITIVE_INFINITY }: Where = {}): () => void {
    const active = { fault, operation, left: times, inTurn: false, sending: new Set<Wire>() }
    this.#active.add(active)
    return () => this.#end(active)
  }

  /** Ends the faults of one operation, or all; closes the connections that they still hold open. */
  clear(operation?: string): void {
    for (const active of this.#active) {
      if (!active.inTurn && (operation ?? active.operation) === active.operation) this.#end(active)
    }
  }

  /** Queues a fault for the next `times` requests to an operation, after those queued before. */
  layDown(fault: Fault, operation: string, times: number): void {
    this.#active.add({ fault, operation, left: times, inTurn: true, sending: new Set() })
  }

  /**
   * Removes the queued faults of one operation, or all; requests that are already being answered are not
   * affected.
   */
  forget(operation?: string): void {
    for (const active of this.#active) {
      if (active.inTurn && (operation ?? active.operation) === active.operation) this.#active.delete(active)
    }
  }

  /** Answers a request with the original response, or with the one that the matching faults make of it. */
  answer(truth: () => Answer, call: Call, wire: Wire): void {
    const met = this.#meet(call.operation)
    const said = met.reduce(
      (before, { fault }) =>
        () =>
          fault.answer?.(before, call) ?? before(),
      truth,
    )
    const sender = met.findLast(({ fault }) => fault.send)
    if (sender) this.#hold(wire, sender)
    for (const active of met) this.#dropUsedUp(active)
    if (sender?.fault.send) sender.fault.send(said, wire)
    else wire.send(said())
  }

  /** Returns the faults that apply to a request to `operation`, and counts this request for each of them. */
  #meet(operation: string): readonly Active[] {
    const fitting = [...this.#active].filter(
      (active) => active.left > 0 && (active.operation ?? operation) === operation,
    )
    const inTurn = fitting.find((active) => active.inTurn)
    const met = [...(inTurn ? [inTurn] : []), ...fitting.filter((active) => !active.inTurn)]
    for (const active of met) active.left -= 1
    return met
  }

  #hold(wire: Wire, sender: Active): void {
    sender.sending.add(wire)
    wire.onClose(() => {
      sender.sending.delete(wire)
      this.#dropUsedUp(sender)
    })
  }

  /**
   * Removes a used-up fault, but not before its connections are closed, so that `end` can still close them.
   */
  #dropUsedUp(active: Active): void {
    if (active.left <= 0 && active.sending.size === 0) this.#active.delete(active)
  }

  #end(active: Active): void {
    this.#active.delete(active)
    for (const wire of active.sending) wire.cut()
  }
}

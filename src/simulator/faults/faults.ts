import type { Answer } from '../http/answer.ts'
import type { Wire } from '../http/wire.ts'
import type { Call, Fault, Where } from './fault.ts'

interface Active {
  readonly fault: Fault
  readonly operation: string | undefined
  /** Requests that it is still to meet. */
  left: number
  /** A laid-down answer: the next one of its operation waits until this one is used up. */
  readonly inTurn: boolean
  /** The answers that it is still sending, or will never send. */
  readonly sending: Set<Wire>
}

/** A fault that goes on. */
export interface Running {
  readonly name: string
  /** Undefined: all requests to the service. */
  readonly operation: string | undefined
  /** Ends it, with the connections that it still holds. */
  end(): void
}

/**
 * The faults that a simulator has at the moment.
 *
 * Each request meets first the laid-down answer whose turn it is, then the faults that fit, in the order in which
 * they were started. Each makes its answer out of the one before; the last that has a way of its own sends it.
 */
export class Faults {
  readonly #active = new Set<Active>()

  /** What was started and goes on, the oldest first; what is laid down for single requests aside. */
  get running(): readonly Running[] {
    return [...this.#active]
      .filter(({ inTurn, left }) => !inTurn && left > 0)
      .map((active) => ({
        name: active.fault.name,
        operation: active.operation,
        end: () => this.#end(active),
      }))
  }

  /** Starts a fault; what it answers ends the fault, and cuts the connections that the fault still holds. */
  start(fault: Fault, { operation, times = Number.POSITIVE_INFINITY }: Where = {}): () => void {
    const active = { fault, operation, left: times, inTurn: false, sending: new Set<Wire>() }
    this.#active.add(active)
    return () => this.#end(active)
  }

  /** Ends the faults started for one operation, or all; cuts the connections that they still hold. */
  clear(operation?: string): void {
    for (const active of this.#active) {
      if (!active.inTurn && (operation ?? active.operation) === active.operation) this.#end(active)
    }
  }

  /** Lays down a fault for the next `times` requests to an operation, behind those laid down before. */
  layDown(fault: Fault, operation: string, times: number): void {
    this.#active.add({ fault, operation, left: times, inTurn: true, sending: new Set() })
  }

  /** Forgets what is laid down for one operation, or for all; what it has begun goes on. */
  forget(operation?: string): void {
    for (const active of this.#active) {
      if (active.inTurn && (operation ?? active.operation) === active.operation) this.#active.delete(active)
    }
  }

  /** Answers a request: with the truth, or with what the faults that it meets make of it. */
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

  /** The faults that a request to `operation` meets, each of which has one less to meet from then on. */
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

  /** A fault that is used up is kept only while it holds connections, so that these can still be cut. */
  #dropUsedUp(active: Active): void {
    if (active.left <= 0 && active.sending.size === 0) this.#active.delete(active)
  }

  #end(active: Active): void {
    this.#active.delete(active)
    for (const wire of active.sending) wire.cut()
  }
}

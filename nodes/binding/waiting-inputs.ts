import { KeyholderError } from '../../src/service/error.ts'

/** The messages that may wait at a node: more than that come from a loop in the flow, and each costs memory and time. */
const maxWaiting = 1000

/** The messages that are refused in one turn of the event loop: a Catch node makes each of them cost a tenth of a millisecond. */
const maxRefusedAtOnce = 50

/** Counts the messages that wait at a node for their end. */
export class WaitingInputs {
  #count = 0
  readonly #refused: (() => void)[] = []

  /** True while more messages wait than may. */
  get areTooMany(): boolean {
    return this.#count > maxWaiting
  }

  /** Counts a message until the returned function is called, once. */
  enter(): () => void {
    this.#count += 1
    return () => {
      this.#count -= 1
    }
  }

  /** Resolves when the turn of a message has come that is refused: the other nodes must get theirs as well. */
  refusalTurn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#refused.push(resolve) === 1) setImmediate(() => this.#takeTurn())
    })
  }

  #takeTurn(): void {
    const left = this.#refused.length - maxRefusedAtOnce
    for (const resolve of this.#refused.splice(0, maxRefusedAtOnce)) resolve()
    if (left > 0) setImmediate(() => this.#takeTurn())
  }
}

/** Returns the error for a message that finds too many others. */
export function tooManyWaiting(): KeyholderError {
  const most = maxWaiting.toLocaleString('en-US')
  return new KeyholderError(
    'RATE_LIMITED',
    `${most} messages wait at this node already, so this one was not taken. Look for a loop in the flow, or send the next message when the node has answered. A disarm is always taken.`,
  )
}

import type { RequestContext } from '../../src/simulator/faults/active-faults.ts'
import type { HttpResponse } from '../../src/simulator/http/http-response.ts'
import type { AccountHarness } from '../account.ts'
import { allowedPause, isRejection } from '../disturbances/service-demands.ts'

/**
 * Records what the answers of a simulated service oblige a client to, by the contract and not by the tables of
 * the client: pauses, and secrets that are never sent again.
 */
export class AnswerAudit {
  /** The end of the longest pause that an answer asked for, in milliseconds of the monotonic clock. */
  askedUntil = 0
  readonly #at: AccountHarness
  /** The number of requests before each first rejection, by operation. */
  readonly #rejections = new Map<string, number>()
  /** The operations whose rejection may have been lost on the way. */
  readonly #uncertain = new Set<string>()
  #stop = () => {}

  constructor(at: AccountHarness) {
    this.#at = at
    this.renew(false)
  }

  /** The operations whose secrets were rejected with a known reason. */
  get rejected(): string[] {
    return [...this.#rejections.keys(), ...this.#uncertain]
  }

  /** Returns the number of attempts with secrets whose rejection has arrived. */
  countRepeatedRejections(): number {
    const { requests } = this.#at.simulator
    return [...this.#rejections]
      .map(([operation, before]) =>
        requests.slice(before).filter(({ path }) => path.endsWith(`/${operation}`)),
      )
      .reduce((sum, repeated) => sum + repeated.length, 0)
  }

  /**
   * Records the answers after all faults that were started so far.
   * @param isLossy true if a fault may lose or change an answer on its way to the client
   */
  renew(isLossy: boolean): void {
    this.#stop()
    this.#stop = this.#at.simulator.faults.start({
      name: 'recording of the answers',
      answer: (getOriginal, context) => {
        const response = getOriginal()
        this.#note(context, response, isLossy)
        return response
      },
    })
  }

  #note({ operation }: RequestContext, response: HttpResponse, isLossy: boolean): void {
    const now = this.#at.clock.monotonic()
    const asked = allowedPause(response)
    if (asked > 0) this.askedUntil = Math.max(this.askedUntil, now + asked)
    if (!isRejection(operation, response)) return
    if (isLossy) this.#uncertain.add(operation)
    else if (!this.#rejections.has(operation))
      this.#rejections.set(operation, this.#at.simulator.requests.length)
  }
}

import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'

/** What lies about in a process that only waits: servers, idle connections, standard streams, the test runner's timer. */
const atRest = new Set(['TCPServerWrap', 'TCPSocketWrap', 'TTYWrap', 'PipeWrap', 'Timeout', 'MessagePort'])

/**
 * Knows what is really under way in this process, whatever a driven clock says: HTTP requests until their answers are
 * read, files until they are written, the stretching of passwords, what is due in the next turn of the event loop.
 *
 * When all of it is over nothing more happens until the clock goes on.
 */
export class RealWork {
  readonly #waiting: () => number
  #requests = 0
  readonly #stretching = new Set<number>()
  readonly #noteRequest = (message: unknown) => {
    this.#requests += 1
    ;(message as { request: ClientRequest }).request.once('close', () => {
      this.#requests -= 1
    })
  }
  #expected = 0
  // Work of the thread pool that is not among the active resources; to look for it slows everything down.
  readonly #hook = createHook({
    init: (id, type) => {
      if (type === 'SCRYPTREQUEST') this.#stretching.add(id)
    },
    after: (id) => {
      if (!this.#stretching.delete(id)) return
      this.#expected -= 1
      if (this.#expected <= 0) this.#hook.disable()
    },
  })

  /** @param waiting how many requests have arrived and are answered only when the clock goes on */
  constructor(waiting: () => number = () => 0) {
    this.#waiting = waiting
  }

  /** Begins to look; what is under way already goes unseen. */
  begin(): void {
    subscribe('http.client.request.start', this.#noteRequest)
  }

  /** Looks out for so many passwords and codes that are about to be stretched; others go unseen. */
  expectStretching(count: number): void {
    this.#expected = count
    this.#hook.enable()
  }

  end(): void {
    unsubscribe('http.client.request.start', this.#noteRequest)
    this.#hook.disable()
  }

  /** Waits until nothing is under way. */
  async over(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve))
    } while (this.#isUnderWay)
  }

  get #isUnderWay(): boolean {
    if (this.#requests > this.#waiting() || this.#stretching.size > 0) return true
    return process.getActiveResourcesInfo().some((kind) => !atRest.has(kind))
  }
}

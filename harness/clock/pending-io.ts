import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'

/** What lies about in a process that only waits: servers, idle connections, standard streams, the test runner's timer. */
const atRest = new Set(['TCPServerWrap', 'TCPSocketWrap', 'TTYWrap', 'PipeWrap', 'Timeout', 'MessagePort'])

/** Milliseconds of real time, longer than any work takes; a test that waits longer learns what it waited for. */
const maxWork = 40_000

/**
 * Knows what is really under way in this process, whatever a fake clock says: HTTP requests until their answers are
 * read, files until they are written, the stretching of passwords, what is due in the next turn of the event loop.
 *
 * When all of it is over nothing more happens until the clock goes on.
 */
export class RealWork {
  readonly #withheld: () => readonly number[]
  readonly #requests = new Set<ClientRequest>()
  readonly #stretching = new Set<number>()
  readonly #noteRequest = (message: unknown) => {
    const { request } = message as { request: ClientRequest }
    this.#requests.add(request)
    request.once('close', () => this.#requests.delete(request))
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

  /**
   * @param withheld TCP ports of the clients whose requests have arrived and are answered only when the clock goes on,
   * as the simulator gives them
   */
  constructor(withheld: () => readonly number[] = () => []) {
    this.#withheld = withheld
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

  /**
   * Waits until nothing is under way; true when something was.
   * @throws Error that names what is under way without an end
   */
  async over(): Promise<boolean> {
    const latest = performance.now() + maxWork
    for (let hadWork = false; ; hadWork = true) {
      await new Promise((resolve) => setImmediate(resolve))
      const work = this.#underWay()
      if (work === undefined) return hadWork
      if (performance.now() > latest) throw new Error(`Still under way after ${maxWork / 1000} s: ${work}`)
    }
  }

  /** Something that is under way, as it would be named to a reader. */
  #underWay(): string | undefined {
    if (this.#stretching.size > 0) return 'the stretching of a password'
    const withheld = this.#withheld()
    const ports = [...this.#requests].map(({ socket }) => socket?.localPort ?? 0)
    if (ports.some((port) => !withheld.includes(port))) return 'a request'
    // Its client has gone, and the service is about to notice.
    if (withheld.some((port) => !ports.includes(port))) return 'the end of a connection'
    return process.getActiveResourcesInfo().find((kind) => !atRest.has(kind))
  }
}

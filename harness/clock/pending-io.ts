import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'

/** What lies about in a process that only waits: servers, idle connections, standard streams, the test runner's timer. */
const idleResources = new Set([
  'TCPServerWrap',
  'TCPSocketWrap',
  'TTYWrap',
  'PipeWrap',
  'Timeout',
  'MessagePort',
])

/** Milliseconds of real time, longer than any work takes; a test that waits longer learns what it waited for. */
const maxWait = 40_000

/**
 * Knows what is really under way in this process, whatever a fake clock says: HTTP requests until their answers are
 * read, files until they are written, the stretching of passwords, what is due in the next turn of the event loop.
 *
 * When all of it is over nothing more happens until the clock goes on.
 */
export class PendingIo {
  readonly #withheld: () => readonly number[]
  readonly #requests = new Set<ClientRequest>()
  readonly #hashing = new Set<number>()
  readonly #trackRequest = (message: unknown) => {
    const { request } = message as { request: ClientRequest }
    this.#requests.add(request)
    request.once('close', () => this.#requests.delete(request))
  }
  #expected = 0
  // Work of the thread pool that is not among the active resources; to look for it slows everything down.
  readonly #hook = createHook({
    init: (id, type) => {
      if (type === 'SCRYPTREQUEST') this.#hashing.add(id)
    },
    after: (id) => {
      if (!this.#hashing.delete(id)) return
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
  start(): void {
    subscribe('http.client.request.start', this.#trackRequest)
  }

  /** Looks out for so many passwords and codes that are about to be stretched; others go unseen. */
  expectHashing(count: number): void {
    this.#expected = count
    this.#hook.enable()
  }

  stop(): void {
    unsubscribe('http.client.request.start', this.#trackRequest)
    this.#hook.disable()
  }

  /**
   * Waits until nothing is under way; true when something was.
   * @throws Error that names what is under way without an end
   */
  async untilIdle(): Promise<boolean> {
    const latest = performance.now() + maxWait
    for (let hadWork = false; ; hadWork = true) {
      await new Promise((resolve) => setImmediate(resolve))
      const work = this.#findPending()
      if (work === undefined) return hadWork
      if (performance.now() > latest) throw new Error(`Still under way after ${maxWait / 1000} s: ${work}`)
    }
  }

  /** Something that is under way, as it would be named to a reader. */
  #findPending(): string | undefined {
    if (this.#hashing.size > 0) return 'the stretching of a password'
    const withheld = this.#withheld()
    const ports = [...this.#requests].map(({ socket }) => socket?.localPort ?? 0)
    if (ports.some((port) => !withheld.includes(port))) return 'a request'
    // Its client has gone, and the service is about to notice.
    if (withheld.some((port) => !ports.includes(port))) return 'the end of a connection'
    return process.getActiveResourcesInfo().find((kind) => !idleResources.has(kind))
  }
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import './files-in-turn.ts'
import { countPendingHashing } from './pending-hashing.ts'

/** Resources of a process that only waits: servers, idle connections, standard streams, the timer of the test runner. */
const idleResources = new Set([
  'TCPServerWrap',
  'TCPSocketWrap',
  'TTYWrap',
  'PipeWrap',
  'Timeout',
  'MessagePort',
])

const openRequest = 'a request'
const closedConnection = 'the end of a connection'

/** The work that this thread does itself in its next turns; everything else is done by another thread. */
const ownWork = new Set([openRequest, closedConnection, 'Immediate'])

/** Milliseconds of real time, longer than any I/O takes. */
const maxWait = 40_000

/** Milliseconds after which it looks again for the end of work in another thread. */
const lookEvery = 0.03

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * Tracks the I/O of this process, independent of any fake clock: HTTP requests until their responses are read, files
 * until they are written, the hashing of passwords, and callbacks of the next turn of the event loop.
 *
 * While none of it is pending, nothing happens until the clock advances.
 */
export class PendingIo {
  readonly #withheld: () => readonly number[]
  readonly #requests = new Set<ClientRequest>()
  readonly #trackRequest = (message: unknown) => {
    const { request } = message as { request: ClientRequest }
    this.#requests.add(request)
    request.once('close', () => this.#requests.delete(request))
  }

  /**
   * @param withheld returns the TCP ports of the clients whose requests the simulator answers only when the clock
   * advances: `Simulator.withheld`
   */
  constructor(withheld: () => readonly number[] = () => []) {
    this.#withheld = withheld
  }

  /** Starts to track requests; requests that were sent before are not seen. */
  start(): void {
    subscribe('http.client.request.start', this.#trackRequest)
  }

  stop(): void {
    unsubscribe('http.client.request.start', this.#trackRequest)
  }

  /**
   * Waits until no I/O is pending; returns true if there was some.
   * @throws Error that names the I/O that does not end
   */
  async untilIdle(): Promise<boolean> {
    const latest = performance.now() + maxWait
    for (let hadWork = false; ; hadWork = true) {
      await new Promise((resolve) => setImmediate(resolve))
      const pending = this.#findPending()
      if (pending === undefined) return hadWork
      // Turn after turn would take the processor from those threads.
      if (!ownWork.has(pending)) Atomics.wait(sleeper, 0, 0, lookEvery)
      if (performance.now() > latest) throw new Error(`Still pending after ${maxWait / 1000} s: ${pending}`)
    }
  }

  /** Returns the name of one pending piece of I/O. */
  #findPending(): string | undefined {
    if (countPendingHashing() > 0) return 'the hashing of a password'
    const withheld = this.#withheld()
    const ports = [...this.#requests].map(({ socket }) => socket?.localPort ?? 0)
    if (ports.some((port) => !withheld.includes(port))) return openRequest
    // The client has closed the connection, and the simulator is about to notice.
    if (withheld.some((port) => !ports.includes(port))) return closedConnection
    return process.getActiveResourcesInfo().find((kind) => !idleResources.has(kind))
  }
}

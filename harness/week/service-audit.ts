import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/clock.ts'
import { minute } from '../../src/duration.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** What the service sees of a client, counted and not kept: attempts, and sign-ins against those that had to be. */
export class ServiceAudit {
  /** All attempts that arrived. */
  attempts = 0
  /** The most that arrived within any sliding minute. */
  mostInAMinute = 0
  /** The most sign-ins and panel logins beyond those that had to be, at any time. */
  needlessSignIns = 0
  readonly #simulator: Simulator
  readonly #clock: Clock
  readonly #port: number
  #server: Server | undefined
  #arrivals: number[] = []
  #neededSignIns = 0
  #neededLogins = 0
  readonly #note = (message: unknown) => {
    const { server } = message as { server: Server }
    if ((server.address() as AddressInfo | null)?.port !== this.#port) return
    this.#server = server
    const now = this.#clock.monotonic()
    this.attempts += 1
    this.#arrivals.push(now)
    while ((this.#arrivals[0] ?? now) <= now - minute) this.#arrivals.shift()
    this.mostInAMinute = Math.max(this.mostInAMinute, this.#arrivals.length)
  }

  constructor(simulator: Simulator, clock: Clock) {
    this.#simulator = simulator
    this.#clock = clock
    this.#port = Number(new URL(simulator.url).port)
  }

  begin(): void {
    subscribe('http.server.request.start', this.#note)
  }

  end(): void {
    unsubscribe('http.server.request.start', this.#note)
  }

  /** Sign-ins and panel logins made and needed so far. */
  get signIns(): Record<'made' | 'needed', { signIns: number; logins: number }> {
    const { signIns, panelLogins: logins } = this.#simulator.accounts
    return {
      made: { signIns, logins },
      needed: { signIns: this.#neededSignIns, logins: this.#neededLogins },
    }
  }

  /** Whether all that had to be signed in anew is so. */
  get isSignedIn(): boolean {
    const { made, needed } = this.signIns
    return made.signIns >= needed.signIns && made.logins >= needed.logins
  }

  /** The tokens of the client are dead or forgotten: one sign-in is needed if that one is not still to be made. */
  needSignIn(): void {
    if (this.#simulator.accounts.signIns >= this.#neededSignIns) this.#neededSignIns += 1
    this.needLogins()
  }

  /** The sessions of the client are dead or forgotten. */
  needLogins(): void {
    if (this.#simulator.accounts.panelLogins >= this.#neededLogins) {
      this.#neededLogins += this.#simulator.serials.length
    }
  }

  /** Holds what was made against what had to be. */
  look(): void {
    const { made, needed } = this.signIns
    const beyond = Math.max(made.signIns - needed.signIns, made.logins - needed.logins)
    this.needlessSignIns = Math.max(this.needlessSignIns, beyond)
  }

  /** Closes the service's port and all connections; the answer opens it again. */
  async shut(): Promise<() => Promise<void>> {
    const server = this.#server
    if (server === undefined) throw new Error('Nobody has asked the service yet.')
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
    return async () => {
      server.listen(this.#port, '127.0.0.1')
      await once(server, 'listening')
    }
  }
}

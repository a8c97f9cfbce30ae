import { once } from 'node:events'
import type { Clock } from '../../src/clock.ts'
import { minute } from '../../src/duration.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** Counts the requests of a client, and compares its sign-ins with the necessary ones. */
export class ServiceAudit {
  /** The number of requests. */
  attempts = 0
  /** The maximum number of requests in any sliding minute. */
  mostInAMinute = 0
  /** The maximum number of unnecessary sign-ins and panel logins. */
  needlessSignIns = 0
  readonly #simulator: Simulator
  readonly #clock: Clock
  #arrivals: number[] = []
  #neededSignIns = 0
  #neededLogins = 0
  readonly #note = () => {
    const now = this.#clock.monotonic()
    this.attempts += 1
    this.#arrivals.push(now)
    while ((this.#arrivals[0] ?? now) <= now - minute) this.#arrivals.shift()
    this.mostInAMinute = Math.max(this.mostInAMinute, this.#arrivals.length)
  }

  constructor(simulator: Simulator, clock: Clock) {
    this.#simulator = simulator
    this.#clock = clock
  }

  begin(): void {
    this.#simulator.server.prependListener('request', this.#note)
  }

  end(): void {
    this.#simulator.server.off('request', this.#note)
  }

  /** The sign-ins and panel logins so far, made and necessary. */
  get signIns(): Record<'made' | 'needed', { signIns: number; logins: number }> {
    const { signIns, panelLogins: logins } = this.#simulator.accounts
    return {
      made: { signIns, logins },
      needed: { signIns: this.#neededSignIns, logins: this.#neededLogins },
    }
  }

  /** True if all necessary sign-ins are done. */
  get isSignedIn(): boolean {
    const { made, needed } = this.signIns
    return made.signIns >= needed.signIns && made.logins >= needed.logins
  }

  /** Notes that the client has lost its tokens, so that one sign-in is necessary unless one is already due. */
  needSignIn(): void {
    if (this.#simulator.accounts.signIns >= this.#neededSignIns) this.#neededSignIns += 1
    this.needLogins()
  }

  /** Notes that the client has lost its sessions. */
  needLogins(): void {
    if (this.#simulator.accounts.panelLogins >= this.#neededLogins) {
      this.#neededLogins += this.#simulator.serials.length
    }
  }

  /** Compares the sign-ins with the necessary ones. */
  look(): void {
    const { made, needed } = this.signIns
    const beyond = Math.max(made.signIns - needed.signIns, made.logins - needed.logins)
    this.needlessSignIns = Math.max(this.needlessSignIns, beyond)
  }

  /** Closes the port and all connections of the service; the returned function opens it again. */
  async shut(): Promise<() => Promise<void>> {
    const { server, url } = this.#simulator
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
    return async () => {
      server.listen(Number(new URL(url).port), '127.0.0.1')
      await once(server, 'listening')
    }
  }
}

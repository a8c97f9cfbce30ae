import type { Clock } from '../../../src/clock.ts'
import { second } from '../../../src/duration.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { type Source, sources } from '../blind-times.ts'
import { faultOf, type ServiceFault } from './service-faults.ts'

/** A fault that lasts. */
interface Lasting {
  /** The only operation whose answers it changes; undefined for all. */
  readonly operation: string | undefined
}

/** The service of a life with its faults. */
export class DisturbedService {
  readonly #simulator: Simulator
  readonly #clock: Clock
  readonly #needPerson: () => void
  readonly #lasting = new Set<Lasting>()
  #secrets = 0
  /** The end of the time in which the service refuses all sign-ins, in milliseconds of the monotonic clock. */
  #blockedUntil = Number.NEGATIVE_INFINITY

  /** @param needPerson is called when a person must tell all nodes a new password or code */
  constructor(simulator: Simulator, clock: Clock, needPerson: () => void) {
    this.#simulator = simulator
    this.#clock = clock
    this.#needPerson = needPerson
  }

  /** True while a fault lasts. */
  get isFaulty(): boolean {
    return this.#lasting.size > 0
  }

  /** Returns true while a fault changes the answers of an operation. */
  isFaultyIn(operation: string): boolean {
    return [...this.#lasting].some((one) => one.operation === undefined || one.operation === operation)
  }

  /**
   * Starts a fault. Returns the sources that may show what is not true until nodes have read everything twice; undefined if
   * the fault hides nothing.
   */
  disturb(deed: ServiceFault): readonly Source[] | undefined {
    const { accounts, faults } = this.#simulator
    const starting = faultOf(deed, this.#clock)
    if (starting === undefined) {
      if (deed.what === 'secret changed') this.#changeSecret(deed.secret, deed.lasts)
      else if (deed.what === 'sign-ins blocked') {
        accounts.block(deed.seconds)
        this.#blockedUntil = this.#clock.monotonic() + deed.seconds * second
      } else if (deed.what === 'tokens expire') {
        accounts.expiryStatus = deed.status
        if (deed.tokens === 'session') accounts.expireSessions()
        else accounts.expireUserTokens()
        // Nobody gets others while sign-ins are refused.
        return this.#clock.monotonic() < this.#blockedUntil ? [] : undefined
      }
      return []
    }
    const { fault, operation, lasts, hides, endsSession = false } = starting
    const end = faults.start(fault, operation === undefined ? {} : { operation })
    if (hides === 'nothing' || hides === 'state') {
      this.#clock.after(lasts, end)
      return hides === 'state' ? ['state'] : undefined
    }
    const hidden = endsSession ? undefined : operation
    if (lasts < Number.POSITIVE_INFINITY) this.#last(lasts, { operation: hidden }, end)
    return hides === 'truth' ? sources : []
  }

  /** A person changes the secrets of the service; the nodes hear of it later. */
  renewSecrets(): void {
    const { accounts } = this.#simulator
    this.#secrets += 1
    accounts.setPassword(this.#nextPassword)
    accounts.setUserCode(this.#nextCode)
  }

  /** A password that no other text contains. */
  get #nextPassword(): string {
    return `CanaryPassword${this.#secrets}`
  }

  /** A code of the length that the panel asks for, which no other text contains. */
  get #nextCode(): string {
    return `qX${10 + this.#secrets}`
  }

  #changeSecret(secret: 'password' | 'user code', lasts: number): void {
    const { accounts } = this.#simulator
    this.#secrets += 1
    if (secret === 'password') {
      accounts.setPassword(this.#nextPassword)
      accounts.expireUserTokens()
    } else {
      accounts.setUserCode(this.#nextCode)
      accounts.expireSessions()
    }
    this.#last(lasts, { operation: secret === 'password' ? 'auth' : 'panel/login' }, this.#needPerson)
  }

  #last(lasts: number, fault: Lasting, end: () => void): void {
    this.#lasting.add(fault)
    const over = () => {
      this.#lasting.delete(fault)
      end()
    }
    this.#clock.after(lasts, over)
  }
}

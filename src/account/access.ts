import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { KeyholderError } from '../service/error.ts'
import { Allowance } from './allowance.ts'
import { Budget } from './budget.ts'
import { Flights } from './flights.ts'
import { Ledger } from './ledger.ts'
import { Rejections } from './rejections.ts'
import { Session } from './session.ts'
import type { AccountSettings } from './settings.ts'

/** The whole account waits: nothing is sent before `until` (milliseconds of the monotonic clock). */
export interface Hold {
  until: number
  error: KeyholderError
}

/**
 * What belongs to a sign-in and not to a config node: tokens, hold, known version, answers under way.
 *
 * It outlives a redeploy within the process, so that a redeploy costs no sign-in, and is shared by config nodes that
 * sign in with the same settings. Tokens live here, in memory only.
 */
export interface Access {
  readonly budget: Budget
  readonly flights: Flights
  readonly rejections: Rejections
  readonly user: Session
  /** Sessions of the panels by serial and user code. */
  readonly panels: Map<string, Session>
  /** The negotiated version. */
  version: Promise<string> | undefined
  /** When the versions were last asked (milliseconds of the monotonic clock). */
  versionAskedAt: number
  hold: Hold | undefined
  readonly ledger: Ledger
  /** Settles when a hold of an earlier process is known; never rejects. */
  recalled: Promise<void>
  /** How often in a row the service asked for a pause. */
  holdsInARow: number
}

/** What an account needs from the process around it. */
export interface Surroundings {
  clock: Clock
  /** Folder for what must survive a restart. */
  folder: string
  /** From 0 up to 1. */
  random(): number
}

/** Everything that accounts share within one process. */
export class SharedAccess {
  readonly #budgets = new Map<string, ReturnType<typeof newBudget>>()
  readonly #accesses = new Map<string, Access>()

  /**
   * The access for these settings. The budget is the user's at the service, whatever else the settings say; where
   * two owners set different caps, the lower one holds.
   * @param owner whoever uses it, until `release`
   */
  take(settings: AccountSettings, owner: object, { clock, folder }: Surroundings): Access {
    const user = digest(new URL(settings.url).host, settings.email.toLowerCase())
    const entry = this.#budgets.get(user) ?? newBudget(settings, join(folder, `conduct-${user}.log`), clock)
    this.#budgets.set(user, entry)
    entry.limits.set(owner, settings.requestsPerMinute)
    entry.allowance.limit = Math.min(...entry.limits.values())
    const { url, api, apiVersion, email, password, appId } = settings
    const key = digest(url, api, apiVersion, email, password, appId)
    const known = this.#accesses.get(key)
    if (known !== undefined) return known
    const rejections = new Rejections(join(folder, `rejected-${user}.json`))
    const access: Access = {
      budget: entry.budget,
      flights: new Flights(clock),
      rejections,
      user: new Session(rejections),
      panels: new Map(),
      version: undefined,
      versionAskedAt: Number.NEGATIVE_INFINITY,
      ledger: entry.ledger,
      recalled: Promise.resolve(),
      hold: undefined,
      holdsInARow: 0,
    }
    access.recalled = recallHold(access, clock)
    this.#accesses.set(key, access)
    return access
  }

  /** Ends an owner's use; tokens and the count of attempts stay for the next one. */
  release(owner: object): void {
    for (const { limits, allowance } of this.#budgets.values()) {
      if (limits.delete(owner) && limits.size > 0) allowance.limit = Math.min(...limits.values())
    }
  }
}

function newBudget({ requestsPerMinute }: AccountSettings, file: string, clock: Clock) {
  const ledger = new Ledger(file, clock)
  const allowance = new Allowance(requestsPerMinute)
  return {
    ledger,
    allowance,
    budget: new Budget(allowance, ledger, clock),
    limits: new Map<object, number>(),
  }
}

/** Takes up the hold that an earlier process left. */
async function recallHold(access: Access, clock: Clock): Promise<void> {
  const left = await access.ledger.recallHold()
  if (left === 0) return
  const error = new KeyholderError('LOGIN_BLOCKED', 'The service asked for a pause before the last restart.')
  access.hold ??= { until: clock.monotonic() + left, error }
}

/** A short name for texts that must not be readable. */
function digest(...texts: string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}

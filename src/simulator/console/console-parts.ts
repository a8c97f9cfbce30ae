import type { Clock } from '../../clock.ts'
import type { Faults } from '../faults/active-faults.ts'
import type { Accounts } from '../http/auth/accounts.ts'
import type { RequestLog } from '../http/request-log.ts'
import type { Api } from '../http/router.ts'
import type { World } from '../world/world.ts'

/** Parts of the simulator that the console shows and changes. */
export interface ConsoleParts {
  readonly world: World
  readonly accounts: Accounts
  readonly faults: Faults
  readonly log: RequestLog
  readonly apis: readonly Api[]
  readonly clock: Clock
}

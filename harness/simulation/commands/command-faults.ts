import type { Clock } from '../../../src/clock.ts'
import { minute } from '../../../src/duration.ts'
import { hang, reset } from '../../../src/simulator/faults/network-faults.ts'
import { emptyBody, status } from '../../../src/simulator/faults/response-faults.ts'
import {
  commandLost,
  panelRefuses,
  processesLost,
  slowPanel,
  staysHandled,
} from '../../../src/simulator/faults/service-faults.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

/** The faults of the ways to a panel and back, by name. */
const makes = {
  'command lost': commandLost,
  'stays handled': staysHandled,
  'slow panel': () => slowPanel(20),
  'panel refuses': () => panelRefuses('Jammed'),
  'processes lost': () => processesLost(),
  'no processes': () => processesLost('empty list'),
  'answer lost': () => reset(),
  'request lost': () => reset('not done'),
  'no answer': () => hang('done'),
  'never answered': () => hang(),
  'server error': () => status(500),
  'empty answer': emptyBody,
} as const

/** The name of a fault of commands. */
export type CommandFault = keyof typeof makes

/** The names of all faults of commands. */
export const commandFaults = Object.keys(makes) as readonly CommandFault[]

/** The operations that such a fault can meet. */
export const commandOperations = ['set_state', 'set_bypass_zone', 'process_status'] as const

/** Milliseconds after which a fault ends that has met too few requests. */
const maxFault = 2 * minute

/** Lets a fault meet the next requests of an operation. */
export function startCommandFault(
  { faults }: Pick<Simulator, 'faults'>,
  clock: Pick<Clock, 'after'>,
  { fault, operation, times }: { fault: CommandFault; operation: string; times: number },
): void {
  clock.after(maxFault, faults.start(makes[fault](), { operation, times }))
}

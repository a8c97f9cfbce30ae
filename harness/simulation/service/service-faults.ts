import { type Clock, systemClock } from '../../../src/clock.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'
import { latency } from '../../../src/simulator/faults/network-faults.ts'
import { sessionEnded, versionWithdrawn } from '../../../src/simulator/faults/service-faults.ts'
import type { ExpiryStatus } from '../../../src/simulator/http/auth/accounts.ts'
import { responseOf, type StrangeAnswer } from '../../disturbances/strange-answer.ts'
import {
  disarmedStatus,
  doubledLists,
  keptAnswers,
  noAlarms,
  reversedLists,
  unknownTransports,
} from './list-faults.ts'
import { localTimes } from './local-times.ts'

/**
 * The facts that nodes cannot know while a fault lasts. `nothing`: they know all. `changes`: what was true before may still be told.
 * `state`: anything may be told of the state, until its next answers. `truth`: anything may be told.
 */
export type Hidden = 'nothing' | 'changes' | 'state' | 'truth'

/** The operations of which a fault can be: those of polls, of sign-ins and of starts. */
export const faultyOperations = [
  'version',
  'auth',
  'panel/login',
  'panels',
  'panel_info',
  'status',
  'alarms',
  'events',
  'devices',
  'troubles',
  'had/rules/event-profiles',
] as const

/** A fault of the service in a life. */
export type ServiceFault =
  /** A fault of the catalogue, by its name, for one operation or for all. */
  | { what: 'service fault'; fault: string; operation: string | undefined; lasts: number }
  /** Answers that replace those of the service. */
  | { what: 'strange answers'; answer: StrangeAnswer; operation: string | undefined; lasts: number }
  /** The session is over, and the service says so with this answer until the panel is opened again. */
  | { what: 'session ended'; answer: StrangeAnswer }
  | { what: 'tokens expire'; tokens: 'session' | 'user'; status: ExpiryStatus }
  | { what: 'sign-ins blocked'; seconds: number }
  /** The service never offers the version again. */
  | { what: 'version withdrawn'; answer: StrangeAnswer | undefined }
  /** A person changes a secret, and tells it the nodes after this time. */
  | { what: 'secret changed'; secret: 'password' | 'user code'; lasts: number }

/** A kind of fault. */
interface Row {
  make(clock: Clock): Fault
  readonly hides: Hidden
}

/** Faults that send hundreds of megabytes are too slow for thousands of requests; commands have faults of their own. */
const leftOut = /bomb|body of|nested|command|processes|withdrawn|session ended,/

/** The fault of a service that writes all times in another zone, which nodes know only in a list with some events. */
export const movedTimes = 'times in Asia/Tokyo'

/** Faults after which answers are as good as before. */
const harmless = /^latency|^__proto__|each entry twice|opposite order|state that nobody knows/

/** Faults that make the contents of answers wrong. */
const wrong = /^times in|wrong types|undefined|words in|^ids|whatever/

/** Faults whose answers say that the session is over. */
const sessionEnding = /^status (401|440)$|sign-in required/

/** Returns true for an answer with the status or the words for a session that is over. */
function saysSessionEnded({ status, body }: StrangeAnswer): boolean {
  const words = JSON.stringify(body) ?? ''
  if (status === 403) return /\b10002\b|UserAuthRequired/.test(words)
  return [401, 440, 441].includes(status) || (status === 400 && /session token/i.test(words))
}

function hiddenBy(name: string): Hidden {
  if (harmless.test(name)) return 'nothing'
  if (name === 'one status disarmed') return 'state'
  return wrong.test(name) ? 'truth' : 'changes'
}

const makes: readonly Row['make'][] = [
  ...faultCatalogue,
  (clock) => keptAnswers(clock, false),
  (clock) => keptAnswers(clock, true),
  reversedLists,
  doubledLists,
  () => disarmedStatus(false),
  () => disarmedStatus(true),
  noAlarms,
  unknownTransports,
  () => localTimes('Asia/Tokyo'),
  // Answers that are on their way for so long that others overtake them.
  () => latency(1, 8000),
]

/** The faults that a life draws, by name. */
const catalogue: ReadonlyMap<string, Row> = new Map(
  makes
    .map((make) => ({ make, name: make(systemClock).name }))
    .filter(({ name }) => !leftOut.test(name))
    .map(({ make, name }) => [name, { make, hides: hiddenBy(name) }]),
)

/** The names of the faults that a life draws at any time. */
export const serviceFaultNames: readonly string[] = [...catalogue.keys()].filter(
  (name) => name !== movedTimes,
)

/** Returns true for a fault of what a disarm can do without: it must be sent at once all the same. */
export function sparesDisarm(deed: ServiceFault): boolean {
  const isDispensable = /^status (500|503)$/
  return deed.what === 'service fault' && deed.operation === 'status' && isDispensable.test(deed.fault)
}

/** A fault that is about to start in a life. */
export interface StartingFault {
  readonly fault: Fault
  readonly hides: Hidden
  /** The operation whose answers it changes; undefined for all. */
  readonly operation: string | undefined
  /**
   * True if its answers say that the session is over. Nodes open the panel again each time, and pause when a session keeps ending:
   * they cannot know that the service accepts it for other operations.
   */
  readonly endsSession?: boolean
  /** Milliseconds; Infinity for one that ends by itself or never. */
  readonly lasts: number
}

/** Returns the fault of a deed; undefined for a deed that changes the accounts of the service, and no answer. */
export function faultOf(deed: ServiceFault, clock: Clock): StartingFault | undefined {
  const forEver = { operation: undefined, lasts: Number.POSITIVE_INFINITY }
  switch (deed.what) {
    case 'service fault': {
      const row = catalogue.get(deed.fault)
      if (row === undefined) throw new Error(`no fault "${deed.fault}"`)
      return {
        ...deed,
        fault: row.make(clock),
        hides: row.hides,
        endsSession: sessionEnding.test(deed.fault),
      }
    }
    case 'strange answers':
      return {
        ...deed,
        fault: { name: 'answer', answer: () => responseOf(deed.answer) },
        hides: 'changes',
        endsSession: saysSessionEnded(deed.answer),
      }
    case 'session ended':
      return { ...forEver, fault: sessionEnded(responseOf(deed.answer)), hides: 'changes' }
    case 'version withdrawn': {
      const answer = deed.answer && responseOf(deed.answer)
      return { ...forEver, fault: versionWithdrawn('14.0', answer), hides: 'changes' }
    }
    default:
      return undefined
  }
}

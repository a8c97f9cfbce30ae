import { type Clock, systemClock } from '../clock.ts'
import { ConsolePage } from './console/console-page.ts'
import type { Fault, Where } from './faults/fault.ts'
import { Faults } from './faults/faults.ts'
import { laidDown, type ScriptedAnswer } from './faults/laid-down.ts'
import { hang } from './faults/wire.ts'
import { Guard } from './guard.ts'
import { Accounts } from './http/accounts.ts'
import { endUserOperations } from './http/end-user-operations.ts'
import { installerOperations } from './http/installer-operations.ts'
import { listen } from './http/listen.ts'
import type { Operation } from './http/operation.ts'
import { type Conduct, Processes } from './http/processes.ts'
import { type LoggedRequest, RequestLog } from './http/request-log.ts'
import type { Api } from './http/router.ts'
import { presentAt, simulatorServer, type TlsOptions } from './http/server.ts'
import { type Scenario, startScenario } from './life/scenario.ts'
import { Schedule } from './schedule.ts'
import { Random } from './world/random.ts'
import { World } from './world/world.ts'

/** How the simulated service is set up; every field has a default. */
export interface SimulatorOptions {
  /** TCP port on 127.0.0.1; 0, the default, takes a free one. */
  port?: number
  /** The clock that world and delays live by; the machine's own by default. */
  clock?: Clock
  /** Number of panels, 2 by default: with and without partitions in turn. */
  panels?: number
  /** The same seed tells the same story; 1 by default. */
  seed?: number
  /** Seconds of the world per second of the clock, 0.01 to 10000; 1 by default. */
  speed?: number
  /** `calm`, the default: nothing happens by itself. `day`: a household lives in it. */
  scenario?: Scenario
  /** The `rest_versions` on offer; `['13.0', '14.0']` by default. */
  versions?: readonly string[]
  /** The `installer_versions` on offer; `['8.0', '11.0']` by default. */
  installerVersions?: readonly string[]
  /** Whether events have ids in the installer service, or 0 as in the samples seen (field fact); `rising` by default. */
  installerEventIds?: 'rising' | 'zero'
  /** With certificate and private key, both PEM, the service speaks https. */
  tls?: TlsOptions
  /** Operations that both services lack and answer with 404, for example `['status']`. */
  without?: readonly string[]
  /** How the event list is sorted; oldest first by default (field fact). */
  eventOrder?: 'oldest-first' | 'newest-first'
  /** In what commands fare otherwise than usual: the panel has them after a second and has done them after two. */
  commands?: Partial<Conduct>
  /** How many HTTP attempts `requests` keeps; 1000 by default. */
  requestLogLimit?: number
}

/**
 * A running simulated alarm service.
 *
 * It can fail in every way of `faults/catalogue.ts`: `faults.start(latency(500), { operation: 'status' })`. A panel goes
 * offline by `world.panel(serial).goOffline()`, https shows a bad certificate by `present`. A browser finds the same switches
 * on the console page at the root of `url`.
 */
export interface Simulator {
  /** `http://127.0.0.1:<port>`, with `tls` https; without a path. */
  readonly url: string
  readonly email: string
  readonly password: string
  /** Code of the master user, with a leading zero, the same for all panels. */
  readonly userCode: string
  /** Code of the second user, the same for all panels. */
  readonly secondUserCode: string
  /** Code with which the installer service opens any panel. */
  readonly installerCode: string
  readonly serials: readonly string[]
  /** The panels, to be acted upon. */
  readonly world: World
  /** The server's side of signing in: tokens, sessions, block. */
  readonly accounts: Accounts
  /** Every HTTP attempt, oldest first, the newest `requestLogLimit` of them. */
  readonly requests: readonly LoggedRequest[]
  /** Errors inside the simulator that were caught; empty unless it has a defect. */
  readonly defects: readonly Error[]
  /** What goes wrong with the answers, and from when to when. */
  readonly faults: {
    /** Starts a fault at one operation or all; what it answers ends it, with the connections it still holds. */
    start(fault: Fault, where?: Where): () => void
    /** Ends the faults started for one operation, or all there are, with the connections they still hold. */
    clear(operation?: string): void
  }
  /**
   * Shows another certificate from now on; with https only.
   *
   * Throws when it has no https, and when certificate and key are of no use.
   */
  present(tls: TlsOptions): void
  /** Lays down the next answer of an operation: `version`, `auth`, `panel/login`, `status`, `events`, ... */
  answerNext(operation: string, answer: ScriptedAnswer): void
  /** Never answers the next `times` requests to an operation, which are not done. */
  hang(operation: string, times?: number): void
  /** Forgets laid-down answers and hangs: of one operation, or of all. */
  answerTruthfully(operation?: string): void
  /** Ends all sockets and timers at once; may be called again. */
  close(): Promise<void>
}

/**
 * Starts a simulated service on 127.0.0.1: both its APIs, the end user's and the installer's.
 *
 * Rejects on a speed out of range, on a certificate that is of no use, and when it cannot listen; the error's `code` is the system's, `EADDRINUSE` for a taken port.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { seed = 1, speed = 1 } = options
  const guard = new Guard()
  const schedule = new Schedule(options.clock ?? systemClock, guard)
  const world = new World(schedule, { panels: options.panels ?? 2, seed, speed })
  // Tokens have a generator of their own, so that requests do not change the course of the world.
  const accounts = new Accounts(schedule.clock, new Random(seed + 1), world.panels)
  const service = {
    world,
    accounts,
    processes: new Processes(world.time, new Random(seed + 2), options.commands),
    eventOrder: options.eventOrder ?? 'oldest-first',
    installerEventIds: options.installerEventIds ?? 'rising',
  } as const
  const faults = new Faults()
  const log = new RequestLog(options.requestLogLimit ?? 1000)
  const apis = apisOf(options)
  const beside = new ConsolePage({ world, accounts, faults, log, apis, clock: schedule.clock })
  const parts = { service, apis, beside, faults, log, schedule, guard }
  const server = simulatorServer(parts, options.tls)
  const { port, end } = await listen(server, options.port ?? 0)
  guard.run(() => startScenario(options.scenario ?? 'calm', world, seed))

  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    email: accounts.email,
    get password() {
      return accounts.password
    },
    get userCode() {
      return accounts.userCode
    },
    get secondUserCode() {
      return accounts.codes.of(2)
    },
    installerCode: accounts.installerCode,
    serials: world.panels.map(({ serial }) => serial),
    world,
    accounts,
    requests: log.requests,
    defects: guard.defects,
    faults,
    present: (tls) => presentAt(server, tls),
    answerNext: (operation, answer) => faults.layDown(laidDown(answer), operation, answer.times ?? 1),
    hang: (operation, times = 1) => faults.layDown(hang(), operation, times),
    answerTruthfully: (operation) => faults.forget(operation),
    close: () => {
      schedule.close()
      return end()
    },
  }
}

function apisOf({ versions, installerVersions, without = [] }: SimulatorOptions): readonly Api[] {
  const offered = (operations: readonly Operation[]) =>
    operations.filter(({ name }) => !without.includes(name))
  return [
    {
      name: 'installer',
      base: '/rest_api/installer',
      versions: installerVersions ?? ['8.0', '11.0'],
      operations: offered(installerOperations),
    },
    {
      name: 'end user',
      base: '/rest_api',
      versions: versions ?? ['13.0', '14.0'],
      operations: offered(endUserOperations),
    },
  ]
}

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '../clock.ts'
import { Guard } from './guard.ts'
import { Accounts } from './http/accounts.ts'
import { endUserOperations } from './http/end-user-operations.ts'
import { type LoggedRequest, RequestLog } from './http/request-log.ts'
import type { Api } from './http/router.ts'
import { Script, type ScriptedAnswer } from './http/script.ts'
import { simulatorServer } from './http/server.ts'
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
  /** Operations that this service lacks and answers with 404, for example `['status']`. */
  without?: readonly string[]
  /** How the event list is sorted; oldest first by default (field fact). */
  eventOrder?: 'oldest-first' | 'newest-first'
  /** How many HTTP attempts `requests` keeps; 1000 by default. */
  requestLogLimit?: number
}

/** A running simulated alarm service. */
export interface Simulator {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  readonly email: string
  readonly password: string
  /** Code of the master user, with a leading zero, the same for all panels. */
  readonly userCode: string
  readonly serials: readonly string[]
  /** The panels, to be acted upon. */
  readonly world: World
  /** The server's side of signing in: tokens, sessions, block. */
  readonly accounts: Accounts
  /** Every HTTP attempt, oldest first, the newest `requestLogLimit` of them. */
  readonly requests: readonly LoggedRequest[]
  /** Errors inside the simulator that were caught; empty unless it has a defect. */
  readonly defects: readonly Error[]
  /** Lays down the next answer of an operation: `version`, `auth`, `panel/login`, `status`, `events`, ... */
  answerNext(operation: string, answer: ScriptedAnswer): void
  /** Never answers the next `times` requests to an operation. */
  hang(operation: string, times?: number): void
  /** Forgets laid-down answers and hangs: of one operation, or of all. */
  answerTruthfully(operation?: string): void
  /** Ends all sockets and timers at once; may be called again. */
  close(): Promise<void>
}

/**
 * Starts a simulated service on 127.0.0.1 over plain HTTP.
 *
 * Rejects on a speed out of range, and when it cannot listen; the error's `code` is the system's, `EADDRINUSE` for a taken port.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { seed = 1, speed = 1 } = options
  // Below, timers would outgrow what the machine can wait for; above, the world would do nothing but run.
  if (!(speed >= 0.01 && speed <= 10_000)) throw new RangeError('The speed must be from 0.01 to 10000.')
  const guard = new Guard()
  const schedule = new Schedule(options.clock ?? systemClock, guard)
  const world = new World(schedule, { panels: options.panels ?? 2, seed, speed })
  // Tokens have a generator of their own, so that requests do not change the course of the world.
  const accounts = new Accounts(schedule.clock, new Random(seed + 1), world.panels)
  const service = { world, accounts, eventOrder: options.eventOrder ?? 'oldest-first' } as const
  const lacking = options.without ?? []
  const apis: readonly Api[] = [
    {
      base: '/rest_api',
      versions: options.versions ?? ['13.0', '14.0'],
      operations: endUserOperations.filter(({ name }) => !lacking.includes(name)),
    },
  ]
  const script = new Script()
  const log = new RequestLog(options.requestLogLimit ?? 1000)
  const server = simulatorServer({ service, apis, script, log, schedule, guard })
  const port = await listen(server, options.port ?? 0)
  guard.run(() => startScenario(options.scenario ?? 'calm', world, seed))

  return {
    url: `http://127.0.0.1:${port}`,
    email: accounts.email,
    get password() {
      return accounts.password
    },
    get userCode() {
      return accounts.userCode
    },
    serials: world.panels.map(({ serial }) => serial),
    world,
    accounts,
    requests: log.requests,
    defects: guard.defects,
    answerNext: (operation, answer) => script.add(operation, answer, answer.times ?? 1),
    hang: (operation, times = 1) => script.add(operation, 'hang', times),
    answerTruthfully: (operation) => script.clear(operation),
    close: () => {
      schedule.close()
      return end(server)
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(unableToListen(error, port)))
    server.listen(port, '127.0.0.1', () => {
      server.on('error', () => {})
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function unableToListen(error: NodeJS.ErrnoException, port: number): Error {
  const reason =
    error.code === 'EADDRINUSE' ? 'it is already in use' : `the system says ${error.code ?? 'no'}`
  return Object.assign(new Error(`The simulator cannot listen on port ${port} of 127.0.0.1: ${reason}.`), {
    code: error.code,
  })
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

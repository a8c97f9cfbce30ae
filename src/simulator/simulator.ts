import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { type Clock, systemClock } from '../clock.ts'
import { ConsolePage } from './console/console-page.ts'
import { ActiveFaults, type Fault, type FaultScope } from './faults/active-faults.ts'
import { showsLate } from './faults/lag-faults.ts'
import { hang } from './faults/network-faults.ts'
import { type ScriptedResponse, scriptedResponse } from './faults/response-faults.ts'
import { Guard } from './guard.ts'
import { Accounts } from './http/auth/accounts.ts'
import type { Operation } from './http/operation.ts'
import {
  endUserOperations,
  installerOperations,
  onlySpecified,
  withSignInAtApptype,
} from './http/operations/service-operations.ts'
import { type CommandBehavior, Processes } from './http/processes.ts'
import { type LoggedRequest, RequestLog } from './http/request-log.ts'
import type { ResponseWriter } from './http/response-writer.ts'
import type { Api } from './http/router.ts'
import { Random } from './random.ts'
import { type Recording, replayApis } from './replay.ts'
import { type Scenario, startScenario } from './scenarios/scenario.ts'
import { Schedule } from './schedule.ts'
import { createSimulatorServer, listen, setServerCertificate, type TlsOptions } from './server.ts'
import { recordedVersions, type Trace, TraceReplay, traceApis } from './trace-replay.ts'
import type { PanelPlan } from './world/panel.ts'
import type { PanelOptions } from './world/panel-options.ts'
import type { Lag } from './world/service/service-view.ts'
import { World } from './world/world.ts'

/** Options of the simulated service; all are optional. */
export interface SimulatorOptions {
  /** TCP port on 127.0.0.1; default 0, any free port. */
  port?: number
  /** The clock for the world and for delays; default: the clock of this machine. */
  clock?: Clock
  /** Number of panels, default 2: alternately with and without partitions. */
  panels?: number
  /** The plans of the panels, in place of those of the sample houses. */
  plans?: readonly PanelPlan[]
  /** The options that the installer has set in all panels; default: the usual ones, see `world/panel-options.ts`. */
  panelOptions?: Partial<PanelOptions>
  /** Random seed; the same seed gives the same events. Default 1. */
  seed?: number
  /** Seconds of the simulated world per second of the clock, 0.01 to 10000; default 1. */
  speed?: number
  /** `calm`, the default: nothing happens without a request. `day`: the day of a household. */
  scenario?: Scenario
  /** The `rest_versions` of the service; default `['13.0', '14.0']`. */
  versions?: readonly string[]
  /** The `installer_versions` of the service; default `['8.0', '11.0']`. */
  installerVersions?: readonly string[]
  /**
   * Event ids of the installer service: rising, or 0 as in known samples (field fact); default `rising`.
   */
  installerEventIds?: 'rising' | 'zero'
  /** Certificate and private key, both PEM; if set, the service uses https. */
  tls?: TlsOptions
  /** Operations that are missing in both services; they answer with 404. Example: `['status']`. */
  missingOperations?: readonly string[]
  /**
   * The language of the names in the houses, German or English, and at first of the texts of events; default `en_US`.
   */
  locale?: string
  /** True for panels that can also be armed NIGHT, which the specification does not name; default false. */
  hasNight?: boolean
  /** True for a service that is the interface specification and no more; default false. */
  onlySpecified?: boolean
  /** The path of the end-user sign-in; default `auth` (field fact). */
  signInPath?: 'auth' | 'apptype'
  /** Order of the event list; default oldest first (field fact). */
  eventOrder?: 'oldest-first' | 'newest-first'
  /** Deviations from the usual behavior of commands: received after one second and done after two. */
  commands?: Partial<CommandBehavior>
  /**
   * Seconds of the simulated world after which the status and each list show a change: `{ status: 4, devices: 30 }`. It is a
   * fault that is active from the start; without it, each shows a change at once.
   */
  lag?: Lag
  /**
   * True if it runs in a process of the user: its tokens cannot be guessed. Default false.
   */
  isPrivate?: boolean
  /** False for a service without its console page, which has no sign-in. */
  hasConsole?: boolean
  /** Answers as in this recording of one panel; `panels`, `scenario` and `versions` do not matter then. */
  replay?: Recording
  /** Answers as in this trace of one panel, at its times; the same do not matter then. */
  trace?: Trace
  /** Number of HTTP requests that `requests` keeps; default 1000. */
  maxLoggedRequests?: number
}

/**
 * A running simulated alarm service.
 *
 * Every fault of `faults/fault-catalogue.ts` can be started: `faults.start(latency(500), { operation: 'status' })`.
 * `world.panel(serial).goOffline()` takes a panel offline, and `setCertificate` can use an invalid certificate.
 * The console page at the root of `url` has the same switches.
 */
export interface Simulator {
  /** `http://127.0.0.1:<port>`, or https with `tls`; without a path. */
  readonly url: string
  readonly email: string
  readonly password: string
  /** Code of the master user, with a leading zero, the same for all panels. */
  readonly userCode: string
  /** Code of the second user, the same for all panels. */
  readonly secondUserCode: string
  /** Installer code for any panel. */
  readonly installerCode: string
  readonly serials: readonly string[]
  /** The panels; a test can change them. */
  readonly world: World
  /** Sign-ins of the server: tokens, sessions, block. */
  readonly accounts: Accounts
  /** All HTTP requests, oldest first, the newest `maxLoggedRequests` of them. */
  readonly requests: readonly LoggedRequest[]
  /**
   * TCP ports of the clients whose response waits for the clock or is never sent. All other open requests are
   * being processed.
   */
  readonly withheldPorts: readonly number[]
  /** Its HTTP server: a test gives it connections and requests that do not come over a socket. */
  readonly server: Server
  /** Errors caught inside the simulator; empty unless it has a defect. */
  readonly defects: readonly Error[]
  /** The console page, for a server in this process that checks itself who may use it. */
  readonly console: Pick<ConsolePage, 'respond'>
  /** The active faults. */
  readonly faults: {
    /** True if one of them, or a queued response, needs a connection to the client. */
    readonly needConnection: boolean
    /**
     * Starts a fault for one operation or all; returns a function that ends it and closes the connections
     * that it still holds open.
     */
    start(fault: Fault, scope?: FaultScope): () => void
    /** Ends the faults of one operation, or all; closes the connections that they still hold open. */
    clear(operation?: string): void
  }
  /** Writes the texts of events and of the log in this language from now on; English if it has no other. */
  setLocale(locale: string): void
  /**
   * Uses another certificate from now on; only with https.
   *
   * Throws without https, and if certificate or key is invalid.
   */
  setCertificate(tls: TlsOptions): void
  /** Queues the next response of an operation: `version`, `auth`, `panel/login`, `status`, `events`, ... */
  respondOnce(operation: string, response: ScriptedResponse): void
  /** Never answers the next `times` requests to an operation; they are not executed. */
  hang(operation: string, times?: number): void
  /** Removes queued responses and hangs of one operation, or of all. */
  restore(operation?: string): void
  /** Closes all sockets and timers at once; can be called repeatedly. */
  close(): Promise<void>
}

/**
 * Starts a simulated service on 127.0.0.1 with both APIs, the end user's and the installer's.
 *
 * Rejects if the speed is out of range, if the certificate is invalid, or if it cannot listen; `code` of
 * the error is then the system's, e.g. `EADDRINUSE` for a used port.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { seed = 1, speed = 1, isPrivate = false } = options
  const guard = new Guard()
  const schedule = new Schedule(options.clock ?? systemClock, guard)
  const { replay, trace } = options
  const recorded = replay ?? trace
  const { panels = 2, hasNight = false, hasConsole = true } = options
  let { locale = 'en_US' } = options
  const settings = {
    panels,
    seed,
    speed,
    hasNight,
    locale,
    plans: options.plans,
    panelOptions: options.panelOptions,
  }
  const world = new World(
    schedule,
    recorded ? { ...settings, panels: 1, serials: [recorded.serial] } : settings,
  )
  // Tokens have their own generator, so that requests do not change the events of the world.
  const tokens = isPrivate ? { uuid: randomUUID } : new Random(seed + 1)
  const accounts = new Accounts(schedule.clock, tokens, world.panels)
  const service = {
    world,
    accounts,
    processes: new Processes(world.time, new Random(seed + 2), options.commands),
    get locale() {
      return locale
    },
    eventOrder: options.eventOrder ?? 'oldest-first',
    installerEventIds: options.installerEventIds ?? 'rising',
  } as const
  const faults = new ActiveFaults(world)
  if (options.lag) faults.start(showsLate(options.lag))
  const log = new RequestLog(options.maxLoggedRequests ?? 1000)
  const traceReplay = trace && new TraceReplay(trace, schedule.clock, speed)
  if (traceReplay) faults.start(recordedVersions(traceReplay), { operation: 'version' })
  const apis = replay
    ? replayApis(createApis({}), replay)
    : traceReplay
      ? traceApis(createApis({}), traceReplay)
      : createApis(options)
  let url = ''
  const consolePage = new ConsolePage({
    get url() {
      return url
    },
    world,
    accounts,
    faults,
    log,
    apis,
    clock: schedule.clock,
  })
  const openResponses = new Set<ResponseWriter>()
  const dependencies = {
    service,
    apis,
    sideHandler: hasConsole ? consolePage : undefined,
    faults,
    openResponses,
    log,
    schedule,
    guard,
  }
  const server = createSimulatorServer(dependencies, options.tls)
  const { port, end } = await listen(server, options.port ?? 0)
  url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`
  guard.run(() => startScenario((!recorded && options.scenario) || 'calm', world, seed))

  return {
    url,
    console: consolePage,
    email: accounts.email,
    get password() {
      return accounts.password
    },
    get userCode() {
      return accounts.userCode
    },
    get secondUserCode() {
      return accounts.codes.get(2)
    },
    installerCode: accounts.installerCode,
    serials: world.panels.map(({ serial }) => serial),
    world,
    accounts,
    requests: log.requests,
    defects: guard.defects,
    get withheldPorts() {
      return [...openResponses].flatMap(({ isWithheld, port }) =>
        isWithheld && port !== undefined ? [port] : [],
      )
    },
    faults,
    setLocale: (wanted) => {
      locale = wanted
    },
    server,
    setCertificate: (tls) => setServerCertificate(server, tls),
    respondOnce: (operation, response) =>
      faults.enqueue(scriptedResponse(response), operation, response.times ?? 1),
    hang: (operation, times = 1) => faults.enqueue(hang(), operation, times),
    restore: (operation) => faults.clearQueue(operation),
    close: () => {
      schedule.close()
      return end()
    },
  }
}

function createApis({
  versions,
  installerVersions,
  missingOperations = [],
  onlySpecified: isReduced = false,
  signInPath = 'auth',
}: SimulatorOptions): readonly Api[] {
  const filterOperations = (operations: readonly Operation[]) =>
    (isReduced ? onlySpecified(operations) : operations).filter(
      ({ name }) => !missingOperations.includes(name),
    )
  return [
    {
      name: 'installer',
      base: '/rest_api/installer',
      versions: installerVersions ?? ['8.0', '11.0'],
      isListed: !isReduced,
      operations: filterOperations(installerOperations),
    },
    {
      name: 'end user',
      base: '/rest_api',
      versions: versions ?? ['13.0', '14.0'],
      isListed: !isReduced,
      operations: filterOperations(
        signInPath === 'auth' ? endUserOperations : withSignInAtApptype(endUserOperations),
      ),
    },
  ]
}

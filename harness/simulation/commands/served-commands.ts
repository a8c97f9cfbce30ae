import type { FlowMessage } from '../../recorder.ts'
import type { SentRequest } from '../process/network.ts'
import type { SimulatedProcess } from '../process/simulated-process.ts'
import type { Simulation } from '../simulation.ts'

/** The operations of the service that command a panel. */
const commanding = ['set_state', 'set_bypass_zone', 'activate_siren', 'disable_siren'] as const

/** The request of a command, in the words of the service. */
export type ServedRequest =
  | { action: 'set_state'; partition: number; state: string; options: readonly string[] }
  | { action: 'bypass'; zone: number; enabled: boolean }
  | { action: 'siren_on' | 'siren_off' }

/** A request to command a panel, at the moment of its departure; it may never arrive. */
export interface SentCommand {
  readonly request: ServedRequest
  readonly at: number
  readonly isRefused: boolean
}

/** A command that the service has taken from the product. Moments are milliseconds of the monotonic clock. */
export interface ServedCommand {
  readonly request: ServedRequest
  readonly at: number
  /** The moment at which the panel came to carry it out; undefined if it has not. */
  executedAt: number | undefined
  /** The panel's reason not to carry it out; null if it has. */
  failure: string | null
  /** True if it has changed the bypass of a zone. */
  hasChanged: boolean
}

/** Hears of each command right before and right after the panel carries it out, or fails to. */
export interface ExecutionListener {
  before(): void
  after(command: ServedCommand): void
}

/** The record of all commands that a service has taken from a machine, and of what became of them at the panel. */
export class ServedCommands {
  /** By the moment at which the service took them. */
  readonly all: ServedCommand[] = []
  readonly #simulation: Simulation
  readonly #listener: ExecutionListener
  readonly #isOwn: (process: SimulatedProcess) => boolean
  readonly #watched = new WeakSet<object>()
  #request: ServedRequest | undefined

  /** @param isOwn returns true for a process of the machine */
  constructor(
    simulation: Simulation,
    isOwn: (process: SimulatedProcess) => boolean,
    listener: ExecutionListener,
  ) {
    this.#simulation = simulation
    this.#isOwn = isOwn
    this.#listener = listener
    for (const operation of commanding)
      simulation.simulator.faults.start(
        {
          name: `record of ${operation}`,
          answer: (getOriginal, { processes, body }) => {
            this.#watch(processes)
            // Requests of two machines can be equal.
            const { receiving } = simulation.network
            const isRequested = receiving !== undefined && isOwn(receiving.process)
            this.#request = isRequested ? requestOf(operation, JSON.parse(body || '{}')) : undefined
            return getOriginal()
          },
        },
        { operation },
      )
  }

  /** The requests to command a panel that were sent, also those that never arrived. */
  get attempts(): SentCommand[] {
    return this.#requests.flatMap(({ url, body = {}, at, arrival }) => {
      const operation = commanding.find((name) => url.pathname.endsWith(`/${name}`))
      // What was refused, as after the end of a session, may be sent again. Nodes follow no redirect.
      const isRefused =
        arrival !== undefined && 'status' in arrival && arrival.status >= 300 && arrival.status < 500
      return operation === undefined ? [] : [{ request: requestOf(operation, body), at, isRefused }]
    })
  }

  /** Returns the number of all requests that were sent between two moments. */
  countRequests(from: number, to: number): number {
    return this.#requests.filter(({ at }) => at >= from && at <= to).length
  }

  get #requests(): readonly SentRequest[] {
    return this.#simulation.network.requests.filter(({ process }) => this.#isOwn(process))
  }

  #isBypassed(request: ServedRequest): boolean | undefined {
    const [panel] = this.#simulation.simulator.world.panels
    return request.action === 'bypass' ? panel?.zone(request.zone).traits.bypass?.enabled : undefined
  }

  get #now(): number {
    return this.#simulation.scheduler.clock.monotonic()
  }

  /** Notes each command that a service hands to a panel from now on. */
  #watch(processes: { start(panel: object, execute: () => string | null): string }): void {
    if (this.#watched.has(processes)) return
    this.#watched.add(processes)
    const start = processes.start.bind(processes)
    processes.start = (panel, execute) => start(panel, this.#noting(execute))
  }

  #noting(execute: () => string | null): () => string | null {
    const request = this.#request
    if (request === undefined) return execute
    const command: ServedCommand = {
      request,
      at: this.#now,
      executedAt: undefined,
      failure: null,
      hasChanged: false,
    }
    this.all.push(command)
    return () => {
      this.#listener.before()
      const before = this.#isBypassed(request)
      command.failure = execute()
      command.hasChanged = this.#isBypassed(request) !== before
      command.executedAt = this.#now
      this.#listener.after(command)
      return command.failure
    }
  }
}

function requestOf(operation: (typeof commanding)[number], body: FlowMessage): ServedRequest {
  switch (operation) {
    case 'set_state':
      return {
        action: 'set_state',
        partition: body.partition,
        state: body.state,
        options: body.options ?? [],
      }
    case 'set_bypass_zone':
      return { action: 'bypass', zone: body.zone, enabled: body.set }
    default:
      return { action: operation === 'activate_siren' ? 'siren_on' : 'siren_off' }
  }
}

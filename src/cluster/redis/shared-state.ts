import { type Failure, failureOf } from '../../account/requests/request-history.ts'
import type { Clock } from '../../clock.ts'
import type { KeyholderError } from '../../service/error.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { Connection, type ConnectionOptions, type Sender } from './connection.ts'
import { performHandshake, type QuietTimes } from './handshake.ts'
import { away } from './redis-error.ts'
import { Scripts } from './scripts.ts'
import type { ServerInfo } from './server-info.ts'
import { SharedClock } from './shared-clock.ts'

/** The state of the way to the server, for display. Times are milliseconds of the monotonic clock. */
export interface ServerStatus {
  /** `away` from the first failed attempt to connect, or from the loss of the connection, until it is there again. */
  readonly state: 'connecting' | 'connected' | 'away'
  /** The reason of `away`. */
  readonly error: KeyholderError | undefined
  /** The latest such reason, kept after a recovery; undefined if there was none. */
  readonly latestFailure: Failure | undefined
  /** The time when `away` began. */
  readonly awaySince: number | undefined
}

/** The dependencies of the shared state, and its listeners. */
interface SharedStateOptions {
  clock: Clock
  quiet?: QuietTimes | undefined
  load?: ConnectionOptions['load'] | undefined
  /**
   * Called in each handshake, to put back what the server may have forgotten, and to enter the cluster.
   * @param hasLost true if the server has other data than before: it may not know the latest changes
   */
  restore(through: Scripts, hasLost: boolean): Promise<void>
  /** Called when the connection is there, lost, or fails for another reason than before. Must not throw. */
  onChange(isOpen: boolean): void
}

/** The state that the instances of a cluster share on a server: the way to it, and what this instance knows of the server. */
export class SharedState {
  readonly clock: SharedClock
  readonly scripts: Scripts
  readonly connection: Connection
  /** The generation of the server's data; undefined before the first handshake. */
  generation: string | undefined
  readonly #options: SharedStateOptions
  /** True until all that the server has lost is put back. */
  #isRestoreDue = false
  #awaySince: number | undefined
  #latestFailure: Failure | undefined

  constructor(settings: ClusterSettings, options: SharedStateOptions) {
    const { clock, load } = options
    this.#options = options
    this.clock = new SharedClock(clock)
    this.connection = new Connection(settings, {
      clock,
      handshake: (sender, server) => this.#performHandshake(sender, server),
      onChange: () => this.#followConnection(),
      load,
    })
    this.scripts = new Scripts({
      sender: this.connection,
      sharedClock: this.clock,
      clock,
      clusterName: settings.clusterName,
      // The server has lost its data without an end of the connection: the handshake is performed again.
      onForgotten: () => this.connection.reconnect(away('the server has lost its data')),
    })
  }

  get status(): ServerStatus {
    const { isOpen, failure } = this.connection
    return {
      state: isOpen ? 'connected' : failure === undefined ? 'connecting' : 'away',
      error: failure,
      latestFailure: this.#latestFailure,
      awaySince: isOpen ? undefined : this.#awaySince,
    }
  }

  async #performHandshake(sender: Sender, server: ServerInfo): Promise<void> {
    const { quiet: times, restore } = this.#options
    const through = this.scripts.through(sender)
    const met = this.generation
    const { generation } = await performHandshake(through, this.clock, server, times, met)
    this.#isRestoreDue ||= met !== undefined && generation !== met
    this.generation = generation
    await restore(through, this.#isRestoreDue)
    this.#isRestoreDue = false
  }

  #followConnection(): void {
    const { isOpen, failure } = this.connection
    const { clock, onChange } = this.#options
    if (isOpen) this.#awaySince = undefined
    else this.#awaySince ??= clock.monotonic()
    if (!isOpen && failure !== undefined) this.#latestFailure = failureOf(failure, clock)
    onChange(isOpen)
  }
}

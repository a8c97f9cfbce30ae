import { bodyText, withJsonText } from '../../../src/simulator/http/http-response.ts'
import { Random } from '../../../src/simulator/random.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts'
import { panelName } from './panel-name.ts'

/** A request by its arrival at the service. */
export interface ArrivedRequest {
  operation: string
  /** The name of the panel; undefined for requests of the account itself. */
  panel: string | undefined
  /** Milliseconds of the monotonic clock of this process. */
  at: number
}

/** A simulator that notes of each request the panel that it is about, and answers after a random time. */
export class WatchedService {
  readonly simulator: Simulator
  readonly requests: ArrivedRequest[] = []

  private constructor(simulator: Simulator) {
    this.simulator = simulator
  }

  /** @param latency the longest time until an answer, in milliseconds */
  static async start(options: SimulatorOptions, latency = 0): Promise<WatchedService> {
    const simulator = await startSimulator({ maxLoggedRequests: 1, ...options })
    const service = new WatchedService(simulator)
    service.#watch(latency)
    return service
  }

  /** The requests of one operation since a time. */
  of(operation: string, since = 0): ArrivedRequest[] {
    return this.requests.filter((one) => one.operation === operation && one.at >= since)
  }

  /** Returns the name of a panel. */
  nameOf(serial: string): string {
    return panelName(this.simulator.url, serial)
  }

  close(): Promise<void> {
    return this.simulator.close()
  }

  #watch(latency: number): void {
    const { accounts, faults } = this.simulator
    const random = new Random(1)
    let panel: string | undefined
    const session = accounts.session.bind(accounts)
    accounts.session = (...tokens) => {
      const found = session(...tokens)
      panel = found && this.nameOf(found.panel.serial)
      return found
    }
    faults.start({
      name: 'watched',
      // The answer is made at the arrival of the request, not when it is sent.
      answer: (getOriginal, { operation }) => {
        panel = undefined
        const answer = getOriginal()
        this.requests.push({ operation, panel, at: performance.now() })
        return withJsonText(answer, bodyText(answer))
      },
      send: (getResponse, writer) => {
        const answer = getResponse()
        writer.after(latency * random.next(), () => writer.send(answer))
      },
    })
  }
}

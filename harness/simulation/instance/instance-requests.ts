import type { Machine } from '../machine.ts'
import type { Network, SentRequest } from '../process/network.ts'
import { isReadable, isSignIn, operationOf } from '../service/service-log.ts'

/** The requests of the processes of one instance, and what they say of it. Moments are milliseconds of the monotonic clock. */
export class InstanceRequests {
  readonly #network: Network
  readonly #machine: Machine

  constructor(network: Network, machine: Machine) {
    this.#network = network
    this.#machine = machine
  }

  /** The moments at which its processes have called the watcher, the latest last. */
  get calls(): readonly number[] {
    return this.#network.calls.filter(({ process }) => this.#machine.runs(process)).map(({ at }) => at)
  }

  /** Returns the moment up to another one at which a process has asked last for events that could be read; undefined if never. */
  eventsReadAt(before: number): number | undefined {
    return this.#network.requests.findLast(
      (request) =>
        request.at <= before &&
        this.#machine.runs(request.process) &&
        operationOf(request) === 'events' &&
        isReadable(request),
    )?.at
  }

  /** Returns a function that returns true once a list of events has come that the latest process asks for from now on. */
  expectEvents(): () => boolean {
    const { requests } = this.#network
    const first = requests.length
    const hasCome = (request: SentRequest) =>
      this.#isOfLatest(request) && request.arrival !== undefined && operationOf(request) === 'events'
    return () => requests.slice(first).some(hasCome)
  }

  /**
   * Returns true if the outcome of the latest sign-in is not known, or may not be saved yet.
   * @param saving milliseconds in which it is saved, at the most
   */
  isSignInUnknown(saving: number, now: number): boolean {
    const latest = this.#network.requests.findLast(
      (request) => this.#isOfLatest(request) && isSignIn(request),
    )
    return latest !== undefined && (latest.arrival === undefined || now - latest.at < saving)
  }

  #isOfLatest({ process }: SentRequest): boolean {
    return process === this.#machine.process
  }
}

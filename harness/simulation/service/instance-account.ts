import type { Clock } from '../../../src/clock.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import type { FlowPart } from '../../flow/flow-part.ts'
import type { BlindTimes, Source } from '../blind-times.ts'
import { AccountCheck } from '../checks/account-check.ts'
import type { Surroundings } from '../checks/check.ts'
import type { SimulatedFlow } from '../node-red/simulated-flow.ts'
import { type SentRequest, serviceUrl } from '../process/network.ts'
import type { DisturbedService } from './disturbed-service.ts'
import { KnownSources } from './known-sources.ts'

/** The account as the nodes of one machine use it: what they know from the service, and the check of what they send. */
export class InstanceAccount {
  readonly #simulator: Simulator
  readonly #clock: Clock
  readonly #blind: BlindTimes
  readonly #known: KnownSources
  readonly #check: AccountCheck

  constructor(
    { blind, house, report }: Surroundings,
    simulator: Simulator,
    clock: Clock,
    service: DisturbedService,
  ) {
    this.#simulator = simulator
    this.#clock = clock
    this.#blind = blind
    this.#known = new KnownSources(service, clock, { blind, report, hasAlarmList: house.hasAlarmList })
    const isDisturbed = () => this.#known.isDisturbed
    const cap = house.requestsPerMinute
    this.#check = new AccountCheck({ origin: serviceUrl, cap, isDisturbed, report })
    this.#check.noteSecrets(simulator.password, simulator.userCode)
  }

  /** True from a fault until the nodes have read everything twice after it. */
  get isDisturbed(): boolean {
    return this.#known.isDisturbed
  }

  /** Returns true if the nodes could not know a source at some moment between two. */
  isBlind(source: Source, from: number, to: number): boolean {
    return this.#blind.isBlind(source, from, to)
  }

  /** True if a person must tell the nodes a new password or code. */
  get needsPerson(): boolean {
    return this.#known.needsPerson
  }

  /** True if the secret that the nodes used last was rejected. */
  get isSecretRejected(): boolean {
    return this.#check.isSecretRejected
  }

  /** All passwords, codes and tokens of the nodes so far. */
  get secrets(): readonly string[] {
    return this.#check.secrets
  }

  /** Takes a request that the nodes have sent. */
  send(request: SentRequest): void {
    this.#check.send(request)
  }

  /** Notes that somebody gives a command to the nodes. */
  noteCommand(): void {
    this.#check.noteCommand(this.#clock.monotonic())
  }

  /** Notes that the service has received a request of the nodes. */
  receive(): void {
    this.#check.receive(this.#clock.monotonic())
  }

  /** Takes a request whose answer has arrived. */
  answer(request: SentRequest): void {
    this.#check.answer(request, this.#clock.monotonic())
    this.#known.noteAnswer(request)
  }

  /** Notes that a person must tell the nodes a new password or code. */
  needPerson(): void {
    this.#known.needsPerson = true
  }

  /** Notes that tokens are lost. */
  needSignIn(): void {
    this.#check.needSignIn()
  }

  /** Hides changes from the nodes, and the truth about some sources, until they have been read twice. */
  hide(now: number, wrong: readonly Source[], sparesDisarm: boolean): void {
    this.#known.hide(now, wrong, sparesDisarm)
  }

  /** Notes that nodes start anew, or do not run until a moment. */
  noteStart(until: number): void {
    this.needSignIn()
    this.#known.noteStart()
    this.#known.postpone(until)
  }

  /** Notes that the process of the nodes was killed, or that its machine has lost its power. */
  noteKill(now: number, isPowerLost: boolean, savingTime: number): void {
    this.#check.kill(now, isPowerLost, savingTime)
  }

  /** Notes that the process of the nodes ends, and that it could write nothing since a moment. */
  noteUnwritten(since: number): void {
    this.#check.forgetAnswers(since)
  }

  /** Looks at what nodes can know. */
  look(now: number): void {
    this.#known.look(now, this.#check.mayWaitUntil, this.#check.isBusy(now))
  }

  /** Returns a flow to which a person has told the secrets that the service accepts. */
  withSecrets(part: FlowPart, now: number): FlowPart {
    const { account, panel, credentials, nodes } = part
    const { email, password, userCode } = this.#simulator
    this.#check.noteSecrets(password, userCode)
    this.needSignIn()
    this.#known.noteTold(now)
    return {
      ...part,
      credentials: { ...credentials, [account]: { email, password }, [panel]: { userCode } },
      // Node-RED starts only nodes anew whose other fields have changed.
      nodes: nodes.map((node) => ([account, panel].includes(node.id) ? { ...node, info: `${now}` } : node)),
    }
  }

  /** Looks for secrets in all that the nodes of a flow have told. */
  checkTold(flow: SimulatedFlow, nodes: readonly string[]): void {
    this.#check.checkTold(flow, nodes)
  }
}

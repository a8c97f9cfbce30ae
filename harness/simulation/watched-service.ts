import type { Clock } from '../../src/clock.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { incompleteAnswer, type ListOperation } from '../disturbances/incomplete-answer.ts'
import type { FlowPart } from '../flow/flow-part.ts'
import { pollEvery, type Source } from './blind-times.ts'
import { AccountCheck } from './checks/account-check.ts'
import type { Surroundings } from './checks/check.ts'
import { DisturbedService } from './disturbed-service.ts'
import type { Deed } from './life.ts'
import type { SimulatedFlow } from './node-red/simulated-flow.ts'
import { serviceUrl } from './process/network.ts'
import type { Simulation } from './simulation.ts'

const sourceOf: Readonly<Record<ListOperation, Source>> = {
  status: 'state',
  alarms: 'state',
  events: 'events',
  devices: 'devices',
}

/** The service of a life with its faults, and the check of the account that asks it. */
export class WatchedService {
  readonly #of: Surroundings
  readonly #simulator: Simulator
  readonly #clock: Clock
  readonly #faults: DisturbedService
  readonly #account: AccountCheck
  #areEventsLate = false

  /** @param cap the attempts that the account allows in a minute */
  constructor(of: Surroundings, { simulator, network, scheduler: { clock } }: Simulation, cap: number) {
    this.#of = of
    this.#simulator = simulator
    this.#clock = clock
    const { blind, house, report } = of
    this.#faults = new DisturbedService(simulator, clock, { blind, report, hasAlarmList: house.hasAlarmList })
    this.#faults.renewSecrets()
    const isDisturbed = () => this.#faults.isDisturbed
    this.#account = new AccountCheck({ origin: serviceUrl, cap, isDisturbed, report })
    this.#account.noteSecrets(simulator.password, simulator.userCode)
    network.tell({
      sent: (request) => this.#account.send(request),
      received: () => this.#account.receive(clock.monotonic()),
      answered: (request) => {
        this.#account.answer(request, clock.monotonic())
        this.#faults.noteAnswer(request)
      },
    })
  }

  /** True from a fault until the nodes have read everything twice after it. */
  get isDisturbed(): boolean {
    return this.#faults.isDisturbed
  }

  /** True if a person must tell the nodes a new password or code. */
  get needsPerson(): boolean {
    return this.#faults.needsPerson
  }

  /** All passwords, codes and tokens of the nodes so far. */
  get secrets(): readonly string[] {
    return this.#account.secrets
  }

  /** Lets something happen at the service; returns false for a deed of another kind. */
  perform(deed: Deed, now: number): boolean {
    switch (deed.what) {
      case 'incomplete answer':
        this.#answerIncompletely(deed)
        return true
      case 'late events':
        // A list of faults is read again after its event.
        this.#of.blind.add(now, now + deed.lasts, 'devices')
        this.#delayEvents(deed, now)
        return true
      case 'service fault':
      case 'strange answers':
      case 'session ended':
      case 'version withdrawn':
      case 'sign-ins blocked':
      case 'secret changed':
      case 'tokens expire':
        // A list of events has no room for the alarms of many detectors that nobody reads for minutes.
        if (this.#of.house.moreDetectors > 0) return true
        this.#account.needSignIn()
        this.#faults.disturb(deed, now)
        return true
      default:
        return false
    }
  }

  /** Notes that nodes start anew, or do not run until a moment. */
  noteStart(until: number): void {
    this.#account.needSignIn()
    this.#faults.postpone(until)
  }

  /** Notes that the process of the nodes was killed, or that its machine has lost its power. */
  noteKill(now: number, isPowerLost: boolean): void {
    this.#account.kill(now, isPowerLost)
  }

  /** Looks at what nodes can know. */
  look(now: number): void {
    // Who hears that a right secret is rejected changes it.
    if (this.#account.isSecretRejected && !this.#faults.isFaulty && !this.#faults.needsPerson) {
      this.#faults.renewSecrets()
      this.#faults.needsPerson = true
    }
    this.#faults.look(now, this.#account.mayWaitUntil)
  }

  /** Returns a flow to which a person has told the secrets that the service accepts. */
  withSecrets(part: FlowPart, now: number): FlowPart {
    const { account, panel, credentials, nodes } = part
    const { email, password, userCode } = this.#simulator
    this.#account.noteSecrets(password, userCode)
    this.#account.needSignIn()
    this.#faults.noteTold(now)
    return {
      ...part,
      credentials: { ...credentials, [account]: { email, password }, [panel]: { userCode } },
      // Node-RED starts only nodes anew whose other fields have changed.
      nodes: nodes.map((node) => ([account, panel].includes(node.id) ? { ...node, info: `${now}` } : node)),
    }
  }

  /** Looks for secrets in all that the nodes of a flow have told. */
  checkTold(flow: SimulatedFlow, nodes: readonly string[]): void {
    this.#account.checkTold(flow, nodes)
  }

  #answerIncompletely({ operation, lack }: Extract<Deed, { what: 'incomplete answer' }>): void {
    const source = sourceOf[operation]
    const asked = this.#clock.monotonic()
    const { blind } = this.#of
    // Two answers in a row that lack the same would be evidence.
    if (blind.isBlind(source, asked - 2 * pollEvery[source], asked)) return
    const fault: Fault = {
      name: `incomplete ${operation}`,
      answer: (getOriginal) => {
        const now = this.#clock.monotonic()
        blind.add(now, now + 2 * pollEvery[source], ...this.#knownBy(source))
        return incompleteAnswer(getOriginal(), lack)
      },
    }
    this.#simulator.faults.start(fault, { operation, times: 1 })
  }

  #delayEvents({ seconds, lasts }: Extract<Deed, { what: 'late events' }>, now: number): void {
    if (this.#areEventsLate) return
    this.#areEventsLate = true
    this.#of.blind.add(now, now + lasts, ...this.#knownBy('events'))
    const end = this.#of.world.panel.delayEvents(seconds)
    this.#clock.after(lasts, () => {
      this.#areEventsLate = false
      end()
    })
  }

  /** Returns the sources that lack what one lacks: without a list of alarms, only events tell that the state is ALARM. */
  #knownBy(source: Source): Source[] {
    if (source === 'state') return ['state', 'alarms']
    return source === 'events' && !this.#of.house.hasAlarmList ? ['events', 'state', 'alarms'] : [source]
  }
}

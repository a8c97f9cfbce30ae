import type { Clock } from '../../../src/clock.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { incompleteAnswer, type ListOperation } from '../../disturbances/incomplete-answer.ts'
import type { Source } from '../blind-times.ts'
import type { Surroundings } from '../checks/check.ts'
import type { Deed } from '../life.ts'
import type { Machine } from '../machine.ts'
import type { SentRequest } from '../process/network.ts'
import type { Simulation } from '../simulation.ts'
import { reportType } from '../world/deeds.ts'
import { DisturbedService } from './disturbed-service.ts'
import { InstanceAccount } from './instance-account.ts'
import { changedEvents } from './list-faults.ts'
import { type ServiceFault, sparesDisarm } from './service-faults.ts'

const sourceOf: Readonly<Record<ListOperation, Source>> = {
  status: 'state',
  alarms: 'state',
  events: 'events',
  devices: 'devices',
}

/** The service of a life with its faults, and the accounts of the machines that ask it. */
export class WatchedService {
  readonly #of: Surroundings
  readonly #simulator: Simulator
  readonly #clock: Clock
  readonly #faults: DisturbedService
  readonly #accounts = new Map<Machine, InstanceAccount>()
  #areEventsLate = false
  /** The moment since which nodes may have needed a new session. */
  #sessionEndedAt = Number.NEGATIVE_INFINITY
  #haveEventsReturned = false

  constructor(of: Surroundings, { simulator, network, scheduler: { clock } }: Simulation) {
    this.#of = of
    this.#simulator = simulator
    this.#clock = clock
    this.#faults = new DisturbedService(simulator, clock, () => this.#needPerson())
    this.#faults.renewSecrets()
    network.tell({
      sent: (request) => this.#accountOf(request)?.send(request),
      received: (request) => this.#accountOf(request)?.receive(),
      answered: (request) => this.#accountOf(request)?.answer(request),
    })
  }

  /** Returns the account as the nodes of a machine use it. */
  open(machine: Machine, of: Surroundings): InstanceAccount {
    const account = new InstanceAccount(of, this.#simulator, this.#clock, this.#faults)
    this.#accounts.set(machine, account)
    return account
  }

  /** True from a fault until the nodes have read everything twice after it. */
  get isDisturbed(): boolean {
    return this.#all.some(({ isDisturbed }) => isDisturbed)
  }

  get #all(): readonly InstanceAccount[] {
    return [...this.#accounts.values()]
  }

  /** Lets something happen at the service; returns false for a deed of another kind. */
  perform(deed: Deed, now: number): boolean {
    switch (deed.what) {
      case 'incomplete answer':
        this.#answerIncompletely(deed)
        return true
      case 'thin session':
        this.#startThinly(deed)
        return true
      case 'late events':
        // A list of faults is read again after its event.
        this.#of.blind.add(now, now + deed.lasts, 'devices')
        this.#delayEvents(deed, now)
        return true
      case 'events lost':
        this.#loseEvents(deed.count)
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
        this.#disturb(deed, now)
        return true
      default:
        return false
    }
  }

  /** Looks at what nodes can know. */
  look(now: number): void {
    // Who hears that a right secret is rejected changes it.
    if (
      this.#all.some(({ isSecretRejected, needsPerson }) => isSecretRejected && !needsPerson) &&
      !this.#faults.isFaulty
    ) {
      this.#faults.renewSecrets()
      this.#needPerson()
    }
    for (const account of this.#all) account.look(now)
    if (this.#faults.isFaulty) this.#noteReturn(now)
  }

  #needPerson(): void {
    for (const account of this.#all) account.needPerson()
  }

  #accountOf({ process }: SentRequest): InstanceAccount | undefined {
    for (const [machine, account] of this.#accounts) if (machine.runs(process)) return account
    return undefined
  }

  #disturb(deed: ServiceFault, now: number): void {
    this.#sessionEndedAt = now
    for (const account of this.#all) account.needSignIn()
    const wrong = this.#faults.disturb(deed)
    if (wrong !== undefined) for (const account of this.#all) account.hide(now, wrong, sparesDisarm(deed))
  }

  #answerIncompletely({ operation, lack }: Extract<Deed, { what: 'incomplete answer' }>): void {
    const source = sourceOf[operation]
    if (!this.#mayLack(source)) return
    const fault: Fault = {
      name: `incomplete ${operation}`,
      answer: (getOriginal) => {
        this.#hideLack(source)
        return incompleteAnswer(getOriginal(), lack)
      },
    }
    this.#simulator.faults.start(fault, { operation, times: 1 })
  }

  /** The first answer of a session is thin (field fact of snapshot.ts), so only those after it are evidence. */
  #startThinly({ operation, lack }: Extract<Deed, { what: 'thin session' }>): void {
    const { accounts, faults } = this.#simulator
    const source = sourceOf[operation]
    const now = this.#clock.monotonic()
    // Of sessions that follow each other at once, each second answer counts, thin or not.
    const isSoon = now - this.#sessionEndedAt < 2 * this.#of.blind.pollEvery[source]
    if (!this.#mayLack(source) || isSoon) return
    this.#sessionEndedAt = now
    for (const account of this.#all) account.needSignIn()
    accounts.expireSessions()
    let left = 2
    const fault: Fault = {
      name: `thin ${operation}`,
      answer: (getOriginal) => {
        const original = getOriginal()
        if (original.status !== 200) return original
        left -= 1
        if (left === 0) end()
        this.#hideLack(source)
        return incompleteAnswer(original, lack)
      },
    }
    const end = faults.start(fault, { operation })
  }

  /** Returns false soon after another blind time: two answers in a row that lack the same would be evidence. */
  #mayLack(source: Source): boolean {
    const now = this.#clock.monotonic()
    return !this.#all.some((account) =>
      account.isBlind(source, now - 2 * this.#of.blind.pollEvery[source], now),
    )
  }

  /** Notes that an answer lacks something now. */
  #hideLack(source: Source): void {
    const now = this.#clock.monotonic()
    const { blind } = this.#of
    blind.add(now, now + 2 * blind.pollEvery[source], ...this.#knownBy(source))
    this.#noteReturn(now)
  }

  /** Notes that lists which lack something tell of a panel that is just back what is armed: no answer before has shown an alarm. */
  #noteReturn(now: number): void {
    const { blind, world } = this.#of
    if (world.panel.online && world.facts.since('online') > now - blind.pollEvery.state)
      world.noteWithoutAlarms(now)
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

  /** The log of a service is longer than its list: where the newest events are removed, older ones come back. */
  #loseEvents(count: number): void {
    const { world, house } = this.#of
    const lost = world.events.slice(-count)
    // The older ones have no local times.
    if (
      this.#haveEventsReturned ||
      house.timeZone !== 'UTC' ||
      lost.some(({ event }) => event.type_id !== reportType)
    )
      return
    this.#haveEventsReturned = true
    const [oldest] = world.panel.events
    if (oldest === undefined) return
    const returned = lost.map((_, nth) => ({
      ...oldest,
      type_id: reportType,
      event: oldest.event - 10 * (count - nth),
      datetime: oldest.datetime.replace(/^\d+/, (year) => `${Number(year) - 1}`),
    }))
    for (const one of lost) one.isGone = true
    for (const event of returned)
      world.events.push({ event, at: Number.NEGATIVE_INFINITY, machineTime: Number.POSITIVE_INFINITY })
    const gone = new Set(lost.map(({ event }) => event.event))
    this.#simulator.faults.start(changedEvents(gone, returned))
  }

  /** Returns the sources that lack what one lacks: without a list of alarms, only events tell that the state is ALARM. */
  #knownBy(source: Source): Source[] {
    if (source === 'state') return ['state', 'alarms']
    return source === 'events' && !this.#of.house.hasAlarmList ? ['events', 'state', 'alarms'] : [source]
  }
}

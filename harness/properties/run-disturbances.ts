import type { ReadOptions } from '../../src/account/requests/request.ts'
import type { Clock } from '../../src/clock.ts'
import { minute, second } from '../../src/duration.ts'
import type { CursorStore } from '../../src/panel/events/cursor/cursor-store.ts'
import { settlingTime } from '../../src/panel/events/subscriptions.ts'
import { Panel } from '../../src/panel/panel.ts'
import { localPanelStores, type PanelStores } from '../../src/panel/panel-stores.ts'
import { operations } from '../../src/service/operations.ts'
import type { PanelEvent } from '../../src/service/responses/events.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { faultCatalogue } from '../../src/simulator/faults/fault-catalogue.ts'
import { sessionEnded, versionWithdrawn } from '../../src/simulator/faults/service-faults.ts'
import { type AccountHarness, startAccountHarness } from '../account.ts'
import { ComputingFlow } from '../disturbances/computing-flow.ts'
import { disturb } from '../disturbances/lasting-disturbance.ts'
import { slowStore } from '../disturbances/slow-store.ts'
import { Slowness } from '../disturbances/slowness.ts'
import { responseOf } from '../disturbances/strange-answer.ts'
import { ServiceAudit } from '../week/service-audit.ts'
import { AnswerAudit } from './answer-audit.ts'
import type { Disturbance } from './disturbances.ts'

const polled = ['state', 'events', 'devices'] as const

/** The requests per minute that the account is allowed. */
export const cap = 30

/** Milliseconds after the disturbances within which everything works again. */
const recovery = 10 * minute

/** The events of the panel, fewer than the service lists, so that none can be lost. */
const maxEvents = 40

/** The record of a client during the disturbances and afterwards. */
export interface Outcome {
  /** The polls that do not work ten minutes after the disturbances and the pauses that the service asked for. */
  ailing: string[]
  /** The operations whose secrets the service rejected with a known reason. */
  rejected: string[]
  /** The attempts with secrets that were rejected before. */
  repeatedRejections: number
  mostInAMinute: number
  signIns: number
  panelLogins: number
  /** The names of the events that happened and were not delivered. */
  lost: string[]
  /** The names of the events that happened and were delivered again without a flag. */
  repeated: string[]
  unhandled: unknown[]
  defects: readonly Error[]
}

/**
 * Runs disturbances against a client that works, then a service that is well.
 * @param isSettled true if the first lists of events, which may be thin, are long past
 */
export async function runDisturbances(
  disturbances: readonly Disturbance[],
  isSettled = false,
): Promise<Outcome> {
  const stores = new Slowness()
  const at = await startAccountHarness(
    { maxLoggedRequests: 100_000, panels: 1 },
    { requestsPerMinute: cap, timeout: 10 },
    {},
    ({ rateLimits, rejections, tokens }, clock) => ({
      rateLimits: slowStore(rateLimits, stores, clock),
      rejections: slowStore(rejections, stores, clock),
      tokens: slowStore(tokens, stores, clock),
    }),
  )
  const unhandled: unknown[] = []
  const noteUnhandled = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', noteUnhandled)
  const run = new Run(at, stores)
  try {
    if (isSettled) await run.settle()
    return { ...(await run.happen(disturbances)), unhandled, defects: at.simulator.defects }
  } finally {
    process.off('unhandledRejection', noteUnhandled)
    await run.close()
  }
}

class Run {
  readonly #at: AccountHarness
  readonly #service: ServiceAudit
  readonly #answers: AnswerAudit
  readonly #panel: Panel
  readonly #stops: (() => void)[] = []
  readonly #delivered = new Set<string>()
  readonly #repeated: string[] = []
  readonly #stores: Slowness
  readonly #flow: ComputingFlow
  readonly #end = new AbortController()
  #events = 0
  #lossyFaults = 0
  #isOver = false

  constructor(at: AccountHarness, stores: Slowness) {
    this.#at = at
    this.#stores = stores
    this.#flow = new ComputingFlow(at.clock)
    this.#service = new ServiceAudit(at.simulator, at.clock)
    this.#service.begin()
    this.#answers = new AnswerAudit(at)
    const settings = {
      id: 'panel',
      name: '',
      serial: at.panel.serial,
      userCode: at.panel.userCode,
      stateEvery: 30 * second,
      eventsEvery: minute,
      devicesEvery: 5 * minute,
      allowCommands: false,
    }
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const { clock } = at.account
    const panelStores = withSlowCursor(localPanelStores(settings, at.folder), stores, clock)
    this.#panel = new Panel(settings, at.account, at.folder, reports, panelStores)
    this.#panel.eventDeliveries.subscribe(
      { id: 'node', instances: 'one' },
      {
        policy: { first: 'skip', missed: 'deliver' },
        events: (deliveries) => {
          for (const { event, redelivered } of deliveries) {
            const name = nameOf(event)
            if (this.#delivered.has(name) && !redelivered) this.#repeated.push(name)
            this.#delivered.add(name)
            this.#flow.receive()
          }
        },
        gap: () => {},
      },
    )
    for (const what of polled)
      this.#stops.push(this.#panel[what].subscribe({ snapshot: () => {}, condition: () => {} }))
  }

  /** Lets the node see an event, and the time pass in which lists may be thin. */
  async settle(): Promise<void> {
    this.#simulatedPanel.log({ type_id: 86 })
    await this.#at.time.pass(settlingTime + minute)
  }

  async happen(disturbances: readonly Disturbance[]): Promise<Omit<Outcome, 'unhandled' | 'defects'>> {
    const { clock, time } = this.#at
    await time.pass(minute + second)
    const known = new Set(this.#simulatedPanel.events.map(nameOf))
    this.#addEvents()
    let startAt = clock.monotonic()
    let wellAt = startAt
    for (const disturbance of disturbances) {
      startAt += disturbance.after
      wellAt = Math.max(wellAt, startAt + lengthOf(disturbance))
      clock.after(startAt - clock.monotonic(), () => this.#start(disturbance))
    }
    await time.advanceTo(wellAt)
    const ailing = await this.#recover(wellAt)
    this.#isOver = true
    // The events since the latest poll.
    if (ailing.length === 0) await time.pass(minute + second)
    const happened = this.#simulatedPanel.events.map(nameOf)
    return {
      ailing,
      rejected: this.#answers.rejected,
      repeatedRejections: this.#answers.countRepeatedRejections(),
      mostInAMinute: this.#service.mostInAMinute,
      signIns: this.#at.simulator.accounts.signIns,
      panelLogins: this.#at.simulator.accounts.panelLogins,
      lost: happened.filter((name) => !known.has(name) && !this.#delivered.has(name)),
      // A fault may make several events look like the same one.
      repeated: this.#repeated.filter((name) => happened.includes(name)),
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#end.abort()
    this.#service.end()
    await this.#at.time.waitFor(this.#panel.eventDeliveries.close())
    await this.#at.close()
  }

  get #simulatedPanel() {
    return this.#at.simulator.world.panel(this.#at.panel.serial)
  }

  /**
   * Waits until each poll has an answer from after the disturbances. Returns the polls without one, when they had
   * ten minutes and each pause that an answer asked for.
   */
  async #recover(wellAt: number): Promise<string[]> {
    const isWell = (what: (typeof polled)[number]) =>
      this.#panel[what].condition.state === 'fine' && (this.#panel[what].latest?.at ?? 0) >= wellAt
    for (let latest = 0; ; ) {
      const deadline = Math.max(wellAt, this.#answers.askedUntil) + recovery
      if (deadline === latest || polled.every(isWell)) break
      latest = deadline
      const wait = this.#at.time.until(
        () => polled.every(isWell),
        undefined,
        deadline - this.#at.clock.monotonic(),
      )
      await wait.catch(() => {})
    }
    return polled
      .filter((what) => !isWell(what))
      .map((what) => `${what}: ${describeCondition(this.#panel[what])}`)
  }

  /** Adds an event to the panel every minute or so, until the end of the run. */
  #addEvents(): void {
    if (this.#isOver || this.#events === maxEvents) return
    this.#events += 1
    this.#simulatedPanel.log({ type_id: 86 })
    this.#at.clock.after(61 * second, () => this.#addEvents())
  }

  #start(disturbance: Disturbance): void {
    const { simulator, clock } = this.#at
    const { accounts } = simulator
    switch (disturbance.what) {
      case 'fault':
      case 'answer': {
        const fault =
          disturbance.what === 'fault'
            ? faultNamed(disturbance.fault)
            : { name: 'answer', answer: () => responseOf(disturbance.answer) }
        const { operation } = disturbance
        this.#startFault(fault, operation === undefined ? {} : { operation }, disturbance.lasts)
        return
      }
      case 'version withdrawn':
        this.#startFault(versionWithdrawn('14.0', disturbance.answer && responseOf(disturbance.answer)))
        return
      case 'session ended':
        this.#startFault(sessionEnded(responseOf(disturbance.answer)))
        return
      case 'tokens expire':
        accounts.expiryStatus = disturbance.status
        if (disturbance.tokens === 'session') accounts.expireSessions()
        else accounts.expireUserTokens()
        return
      case 'sign-ins blocked':
        accounts.block(disturbance.seconds)
        return
      case 'panel offline':
        this.#simulatedPanel.goOffline()
        clock.after(disturbance.lasts, () => this.#simulatedPanel.goOnline())
        return
      case 'secret changed':
        if (disturbance.secret === 'password') accounts.setPassword('changed meanwhile')
        else accounts.setUserCode('9731')
        return
      case 'slow or wrong': {
        const { serial } = this.#at.panel
        const surroundings = { clock, simulator, serial, stores: this.#stores, flow: this.#flow }
        disturb(disturbance.disturbance, surroundings, this.#end.signal)
        void this.#askMuch()
      }
    }
  }

  /** Asks as a busy flow does, one request after another and more than a minute allows. */
  async #askMuch(): Promise<void> {
    const options: ReadOptions = { lane: 'urgent', maxAge: 0, signal: this.#end.signal }
    for (let asked = 0; asked < 1.5 * cap && !this.#end.signal.aborted; asked += 1)
      await this.#panel.fetchOperation(operations.troubles, options).catch(() => {})
  }

  #startFault(fault: Fault, scope: { operation?: string } = {}, lasts?: number): void {
    const { simulator, clock } = this.#at
    const end = simulator.faults.start(fault, scope)
    if (fault.send) this.#lossyFaults += 1
    this.#answers.renew(this.#lossyFaults > 0)
    if (lasts === undefined) return
    clock.after(lasts, () => {
      end()
      if (fault.send) this.#lossyFaults -= 1
      this.#answers.renew(this.#lossyFaults > 0)
    })
  }
}

/** Returns stores of a panel whose cursor answers late. */
function withSlowCursor(stores: PanelStores, slowness: Slowness, clock: Clock): PanelStores {
  let slow: CursorStore | undefined
  return {
    ...stores,
    // All nodes of a process that is alone have one cursor.
    cursor: (node) => {
      slow ??= slowStore(stores.cursor(node), slowness, clock)
      return slow
    },
  }
}

/** Returns the milliseconds after which a disturbance is over; 0 for one that is no time, or for ever. */
function lengthOf(disturbance: Disturbance): number {
  const { lasts } =
    disturbance.what === 'slow or wrong' ? disturbance.disturbance : { lasts: 0, ...disturbance }
  return lasts === Number.POSITIVE_INFINITY ? 0 : lasts
}

/** Returns the identity of an event within its panel. */
function nameOf({ event, type_id, datetime }: Pick<PanelEvent, 'event' | 'type_id' | 'datetime'>): string {
  return `${event}-${type_id}-${datetime}`
}

function faultNamed(name: string): Fault {
  const fault = faultCatalogue.map((make) => make()).find((one) => one.name === name)
  if (fault === undefined) throw new Error(`no fault "${name}"`)
  return fault
}

/** Returns the sentence about a poll that does not work. */
function describeCondition({ condition }: Panel['state' | 'events' | 'devices']): string {
  return condition.state === 'failing'
    ? `${condition.error.code} ${condition.error.message}`
    : condition.state
}

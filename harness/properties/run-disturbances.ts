import { minute, second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { PanelEvent } from '../../src/service/responses/events.ts'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { faultCatalogue } from '../../src/simulator/faults/fault-catalogue.ts'
import { sessionEnded, versionWithdrawn } from '../../src/simulator/faults/service-faults.ts'
import type { HttpResponse } from '../../src/simulator/http/http-response.ts'
import { type AccountHarness, startAccountHarness } from '../account.ts'
import { ServiceAudit } from '../week/service-audit.ts'
import { AnswerAudit } from './answer-audit.ts'
import type { Disturbance, StrangeAnswer } from './disturbances.ts'

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
  /** The names of the events that happened and were not delivered. */
  lost: string[]
  /** The names of the events that happened and were delivered again without a flag. */
  repeated: string[]
  unhandled: unknown[]
  defects: readonly Error[]
}

/** Runs disturbances against a client that works, then a service that is well. */
export async function runDisturbances(disturbances: readonly Disturbance[]): Promise<Outcome> {
  const at = await startAccountHarness(
    { maxLoggedRequests: 100_000, panels: 1 },
    { requestsPerMinute: cap, timeout: 10 },
  )
  // The password and the user code, if they are refused.
  at.pendingIo.expectHashing(2)
  const unhandled: unknown[] = []
  const noteUnhandled = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', noteUnhandled)
  const run = new Run(at)
  try {
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
  #events = 0
  #lossyFaults = 0
  #isOver = false

  constructor(at: AccountHarness) {
    this.#at = at
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
    this.#panel = new Panel(settings, at.account, at.folder, reports)
    this.#panel.eventDeliveries.subscribe(
      { id: 'node', instances: 'one' },
      {
        policy: { first: 'skip', missed: 'deliver' },
        events: (deliveries) => {
          for (const { event, redelivered } of deliveries) {
            const name = nameOf(event)
            if (this.#delivered.has(name) && !redelivered) this.#repeated.push(name)
            this.#delivered.add(name)
          }
        },
        gap: () => {},
      },
    )
    for (const what of polled)
      this.#stops.push(this.#panel[what].subscribe({ snapshot: () => {}, condition: () => {} }))
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
      wellAt = Math.max(wellAt, startAt + ('lasts' in disturbance ? disturbance.lasts : 0))
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
      lost: happened.filter((name) => !known.has(name) && !this.#delivered.has(name)),
      // A fault may make several events look like the same one.
      repeated: this.#repeated.filter((name) => happened.includes(name)),
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#service.end()
    await this.#panel.eventDeliveries.close()
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
    }
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

/** Returns the identity of an event within its panel. */
function nameOf({ event, type_id, datetime }: Pick<PanelEvent, 'event' | 'type_id' | 'datetime'>): string {
  return `${event}-${type_id}-${datetime}`
}

function faultNamed(name: string): Fault {
  const fault = faultCatalogue.map((make) => make()).find((one) => one.name === name)
  if (fault === undefined) throw new Error(`no fault "${name}"`)
  return fault
}

function responseOf({ status, body, retryAfter }: StrangeAnswer): HttpResponse {
  return { status, body, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } }
}

/** Returns the sentence about a poll that does not work. */
function describeCondition({ condition }: Panel['state' | 'events' | 'devices']): string {
  return condition.state === 'failing'
    ? `${condition.error.code} ${condition.error.message}`
    : condition.state
}

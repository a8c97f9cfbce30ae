import { second } from '../../src/duration.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { status } from '../../src/simulator/faults/response-faults.ts'
import { type EventListError, wrongEventList } from '../../src/simulator/faults/service-faults.ts'
import type { ExpiryStatus } from '../../src/simulator/http/auth/accounts.ts'
import type { Random } from '../../src/simulator/random.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { FakeClock } from '../clock/fake-clock.ts'
import type { EventAudit } from './event-audit.ts'
import type { EventSchedule } from './event-schedule.ts'
import type { ServiceAudit } from './service-audit.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { minute, type ScenarioStep } from './week-plan.ts'

/** The objects that a scenario changes. */
export interface ScenarioContext {
  simulator: Simulator
  clock: FakeClock
  random: Random
  schedule: EventSchedule
  service: ServiceAudit
  audits: ReadonlyMap<string, EventAudit>
  /** Returns the current process. */
  process(): SimulatedProcess
  /** Kills the process and starts another one with the same folder. */
  restart(): void
}

/**
 * Performs the steps of a scenario on service, panels and process, and informs the audits of the expected results.
 */
export class Scenario {
  /** True while the service sends a faulty event list. */
  isListWrong = false
  readonly #context: ScenarioContext
  /** The state of a planned kill right after an event. */
  #kill: 'none' | 'at the next event' | 'now' = 'none'

  constructor(stage: ScenarioContext) {
    this.#context = stage
  }

  /** Records the delivery of an event to a node. */
  noteEvent(): void {
    if (this.#kill === 'at the next event') this.#kill = 'now'
  }

  /** Restarts the process if a kill is due; call it when no I/O is pending. */
  killIfDue(): void {
    if (this.#kill !== 'now' || !this.#context.service.isSignedIn) return
    this.#kill = 'none'
    this.#context.restart()
  }

  /** Performs a step, or delays it until the sign-ins that an earlier one requires are done. */
  async perform(act: ScenarioStep): Promise<void> {
    const { name, lasts } = act
    const { simulator, clock, random, schedule: agenda, service, audits, process, restart } = this.#context
    const costsSignIns = name.includes('expires') || name === 'restart'
    if (costsSignIns && !service.isSignedIn) return agenda.scheduleIn(minute, () => this.perform(act))
    const { accounts, world } = simulator
    const panel = random.pick(world.panels)
    if (panel === undefined) throw new Error('There is no panel.')
    switch (name) {
      case 'port closed':
        return agenda.scheduleIn(lasts, await service.shut())
      case 'status 500':
        return this.#fail(status(500), lasts)
      case '503 with Retry-After':
        return this.#fail(status(503, { retryAfter: '120' }), lasts)
      case '503 without Retry-After':
        return this.#fail(status(503), lasts)
      case 'status 429':
        return this.#fail(status(429, { retryAfter: '300' }), lasts)
      case 'panel offline':
        panel.goOffline()
        return agenda.scheduleIn(lasts, () => panel.goOnline())
      case 'event list empty':
      case 'event list half':
      case 'event list twice':
      case 'event list shuffled':
        return this.#garble(name.slice('event list '.length) as EventListError)
      case 'burst of events':
        return panel.addEvents(random.between(2, 40))
      case 'more events than the list holds':
        return panel.addEvents(random.between(61, 120))
      case 'ids begin again':
        audits.get(panel.serial)?.startIdsAgain()
        return random.next() < 0.5 ? panel.clearEvents() : undefined
      case 'session expires, 440':
      case 'session expires, 400':
      case 'session expires, 401':
      case 'session expires, 403':
        accounts.expiryStatus = name.slice(-3) as ExpiryStatus
        accounts.expireSessions()
        // A 401 does not tell which token has expired.
        return name.endsWith('401') ? service.needSignIn() : service.needLogins()
      case 'user token expires':
        accounts.expireUserTokens()
        return service.needSignIn()
      case 'deploy in the middle of a poll':
        process().pollEvents()
        clock.advance(0)
        return process().deploy()
      case 'deploy':
        return process().deploy()
      case 'node removed and put back':
        process().removeNode('third')
        return agenda.scheduleIn(lasts, () => process().restoreNode('third'))
      case 'button pressed again and again':
        for (let nth = 0; nth < 100; nth += 1) agenda.scheduleIn(nth * second, () => process().readStates())
        return
      case 'restart':
        return restart()
      case 'restart right after an event':
        this.#kill = 'at the next event'
        return panel.addEvents(3)
      case 'wall clock steps':
        return clock.stepWall(random.between(-90, 90) * minute)
    }
  }

  #fail(fault: Fault, lasts: number): void {
    this.#context.schedule.scheduleIn(lasts, this.#context.simulator.faults.start(fault))
  }

  #garble(kind: EventListError): void {
    const end = this.#context.simulator.faults.start(wrongEventList(kind))
    this.isListWrong = true
    this.#context.schedule.scheduleIn(5 * minute, () => {
      end()
      this.isListWrong = false
    })
  }
}

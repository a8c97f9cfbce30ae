import type { Clock } from '../../../src/clock.ts'
import { minute } from '../../../src/duration.ts'
import { type BlindTime, type BlindTimes, type Source, sources } from '../blind-times.ts'
import type { SentRequest } from '../process/network.ts'
import type { DisturbedService } from './disturbed-service.ts'
import { isReadable, operationOf } from './service-log.ts'

/** Milliseconds after a poll was due in which it may come. */
const slack = 20_000

/** Milliseconds after all faults, and after the pauses that the service asked for, in which everything works again. */
const recovery = 10 * minute

/** The sources that the nodes of a machine can know, at a service with faults. Moments are milliseconds of the monotonic clock. */
export class KnownSources {
  /** True if a person must tell the nodes a new password or code. */
  needsPerson = false
  readonly #service: DisturbedService
  readonly #clock: Clock
  readonly #blind: BlindTimes
  readonly #report: (subject: string, sentence: string) => void
  readonly #operations: Readonly<Record<Source, readonly string[]>>
  /** The moments of the latest two readable answers of each operation. */
  readonly #answers = new Map<string, readonly [before: number, latest: number]>()
  /** The blind times of the sources that nodes have not read twice since a fault. */
  readonly #open = new Map<Source | 'commands', BlindTime>()
  /** The times in which anything may be told of the sources, until then. */
  readonly #wrong = new Map<Source, BlindTime>()
  /** The moment from which everything is well, unless the service has asked for a pause. */
  #wellSince = Number.NEGATIVE_INFINITY
  #isDisturbed = false
  readonly #hasAlarmList: boolean
  #startedAt = Number.NEGATIVE_INFINITY
  /** The times in which the state is that of the events that nodes read first, which may lack the latest. */
  #falseStart: readonly BlindTime[] = []

  constructor(
    service: DisturbedService,
    clock: Clock,
    of: { blind: BlindTimes; hasAlarmList: boolean; report(subject: string, sentence: string): void },
  ) {
    this.#service = service
    this.#clock = clock
    this.#blind = of.blind
    this.#report = of.report
    this.#hasAlarmList = of.hasAlarmList
    const state = of.hasAlarmList ? ['status', 'alarms'] : ['status']
    // Without a status, a list of devices may be that of a panel which is offline.
    this.#operations = { state, alarms: state, events: ['events'], devices: ['devices', 'status'] }
  }

  /** True from a fault until the nodes have read everything twice after it. */
  get isDisturbed(): boolean {
    return this.#isDisturbed
  }

  /** Takes a request whose answer has arrived. */
  noteAnswer(request: SentRequest): void {
    const operation = operationOf(request)
    if (this.#service.isFaultyIn(operation) || !isReadable(request)) return
    const [, latest] = this.#answers.get(operation) ?? []
    this.#answers.set(operation, [latest ?? Number.NEGATIVE_INFINITY, this.#clock.monotonic()])
  }

  /** Notes that nodes start anew, which know nothing of before. */
  noteStart(): void {
    this.#startedAt = this.#clock.monotonic()
  }

  /** Notes that the nodes do not run until a moment, or may send nothing. */
  postpone(until: number): void {
    this.#wellSince = Math.max(this.#wellSince, until)
  }

  /**
   * Notes which sources nodes can know, and reports if they do not know them in time.
   * @param isBusy true while polls wait for room in the limit of the account
   */
  look(now: number, mayWaitUntil: number, isBusy: boolean): void {
    if (!this.#isDisturbed && !isBusy) return
    for (const source of sources) this.#lookAt(source, now)
    if (!this.#hasAlarmList) this.#lookAtFirstEvents(now)
    if (!this.#open.has('state')) this.#close('commands', now)
    const isFaulty = this.#service.isFaulty || this.needsPerson
    if (isFaulty || !this.#isDisturbed) this.postpone(now)
    if (isFaulty) return
    this.#isDisturbed = this.#open.size > 0
    if (this.#isDisturbed && now > Math.max(this.#wellSince, mayWaitUntil) + recovery)
      this.#report(
        'recovery',
        `account: ${[...this.#open.keys()].join()} do not work again after ten minutes`,
      )
  }

  /** Notes that a person has told the nodes what they need. */
  noteTold(now: number): void {
    this.needsPerson = false
    this.postpone(now)
  }

  /**
   * Hides changes from all nodes, and the truth about some sources, until they have been read twice.
   * @param sparesDisarm true for a fault of what a disarm can do without
   */
  hide(now: number, wrong: readonly Source[], sparesDisarm = false): void {
    this.#isDisturbed = true
    this.postpone(now)
    for (const source of sources) this.#openFrom(source, now)
    if (!sparesDisarm) this.#openFrom('commands', now)
    for (const source of wrong)
      if (!this.#wrong.has(source)) this.#wrong.set(source, this.#blind.openWrong(now, source))
  }

  /** Without a list of alarms, nodes that start with a list of events which lacks the latest take their alarm for one that lasts. */
  #lookAtFirstEvents(now: number): void {
    const [before = 0] = this.#answers.get('events') ?? []
    const isRead = before >= this.#startedAt
    if (isRead) {
      for (const time of this.#falseStart) time.to = now
      this.#falseStart = []
    } else if (this.#falseStart.length === 0 && this.#service.isFaultyIn('events'))
      this.#falseStart = (['state', 'alarms'] as const).map((source) =>
        this.#blind.openWrong(this.#startedAt, source),
      )
  }

  #openFrom(source: Source | 'commands', from: number): void {
    if (!this.#open.has(source)) this.#open.set(source, this.#blind.open(from, source))
  }

  #close(source: Source | 'commands', now: number): void {
    const open = this.#open.get(source)
    if (open !== undefined) open.to = now
    this.#open.delete(source)
  }

  #lookAt(source: Source, now: number): void {
    const operations = this.#operations[source]
    const answers = operations.map((operation) => this.#answers.get(operation) ?? [0, 0])
    const open = this.#open.get(source)
    const isRead =
      !operations.some((operation) => this.#service.isFaultyIn(operation)) &&
      answers.every(([before]) => before >= (open?.from ?? 0))
    if (open !== undefined && isRead) {
      this.#close(source, now)
      const wrong = this.#wrong.get(source)
      if (wrong !== undefined) wrong.to = now
      this.#wrong.delete(source)
    }
    // A pause of the account, or a panel that must be opened anew.
    const latest = Math.min(...answers.map(([, latest]) => latest))
    if (open !== undefined || now - latest <= this.#blind.pollEvery[source] + slack) return
    this.#openFrom(source, latest)
    if (source === 'state') this.#openFrom('commands', latest)
  }
}

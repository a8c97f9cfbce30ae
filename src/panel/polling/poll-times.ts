import type { Answer } from '../../account/answer.ts'
import type { PollDue } from '../../account/requests/request.ts'
import type { Clock } from '../../clock.ts'
import { second } from '../../duration.ts'
import type { PolledWork } from '../lease.ts'
import { phaseOf } from '../panel-client.ts'
import type { PolledResource, PollTargets } from './pace.ts'

/** The importance of each resource where not all polls find room; the simulated household did best with these. */
const weights: Readonly<Record<PolledResource, number>> = { state: 1.5, alarms: 2.5, events: 1, devices: 0.7 }

/** Milliseconds between two polls of a resource that the same change of something else triggers. */
const triggerGap = 10 * second

/**
 * Milliseconds after a trigger in which an answer is wished for: far less than the target, where the minute is used up and
 * all polls wait. Devices tell the least of an alarm.
 */
const triggerTargets: PollTargets = { state: 500, alarms: 500, events: 500, devices: 15 * second }

/** The part of a target by which the time of a poll varies: regular requests were taken for an attack (field fact). */
const maxJitter = 0.05

/** The least milliseconds between two polls at a constant pace: a timer may be early. */
const minGap = 50

/** The part of a target by which a poll may be early, so that one poll reads status and alarms. */
const maxEarly = 0.05

/** Milliseconds between the answers of one poll. */
const maxTogether = 2 * second

/** The times of the polls of one resource: milliseconds of the monotonic clock. */
interface Times {
  /** The arrival of the latest answer, and the time of its request. */
  at: number
  sentAt: number
  /** The time of the next poll, as the pace was when the answer arrived. */
  dueAt: number
  /** The part of the target after which it is due, about 1. */
  part: number
  /** The time of the latest trigger that no answer has served, and the time at which a trigger is due; Infinity without one. */
  triggeredAt: number
  triggerDueAt: number
  /** True while a faster read than a poll is to serve the triggers. */
  isReadNow: boolean
  /** The causes of the triggers that no answer has served. */
  causes: readonly string[]
  /** By cause, the time of the request that has served its latest trigger. */
  servedAt: ReadonlyMap<string, number>
}

/** The causes and their times of a resource without any: all panels share them, which saves memory. */
const none: readonly string[] = []
const noneServed: ReadonlyMap<string, number> = new Map()

/** The pace that the times of the polls follow. */
export interface PollPace {
  /** Milliseconds between two polls of each resource now. */
  readonly targets: PollTargets
  /** The same, had the requests of the day slowed nothing down. */
  readonly targetsOfMinute: PollTargets
  /** True where the target is an interval that the user has entered: nothing triggers, varies or slows down its polls. */
  readonly isConstant: Readonly<Record<PolledResource, boolean>>
  /** Returns the factor by which the target of a resource has grown, because of the budgets. */
  factor(resource: PolledResource): number
  /** The polls of the state: while no node listens, it is polled for the pace of the others alone. */
  readonly state: { readonly hasListeners: boolean }
}

/** The times at which the resources of a panel are due, by their targets and by what else has triggered a poll. */
export class PollTimes {
  readonly pace: PollPace
  readonly #clock: Clock
  readonly #serial: string
  /** The part of a constant target by which its multiples are moved. */
  readonly #phase: number
  readonly #times: Readonly<Record<PolledResource, Times>>
  /** The intervals of other processes that poll. */
  readonly #told = new Map<PolledWork, number>()
  #polls = 0

  /**
   * @param serial of the panel: it decides how the times vary
   */
  constructor(clock: Clock, serial: string, pace: PollPace) {
    this.pace = pace
    this.#clock = clock
    this.#serial = serial
    this.#phase = phaseOf(serial)
    this.#times = { state: unknown(), alarms: unknown(), events: unknown(), devices: unknown() }
  }

  /**
   * Returns the milliseconds between two polls of a part at most: those of the process that polls.
   * @param targets those of the minute, for the time after which an answer is stale: where the requests of the day slow the
   * polls down, what was read is old until the next one
   */
  every(work: PolledWork, { state, alarms, events, devices } = this.pace.targets): number {
    const own = { state: Math.max(state, alarms), events, devices }[work]
    return this.#told.get(work) ?? own
  }

  /** Milliseconds between two polls of each resource, as the process that polls has told them, where another one does. */
  get targetsInForce(): PollTargets {
    return { ...this.pace.targets, ...Object.fromEntries(this.#told) }
  }

  /** Notes the interval that another process has told, which polls a part; undefined once this one polls it. */
  noteInterval(work: PolledWork, every: number | undefined): void {
    if (every === undefined) this.#told.delete(work)
    else this.#told.set(work, every)
  }

  /**
   * Returns the time at which a resource is due: it can come closer, and moves away only with an answer. At a constant pace it is
   * the next multiple of the target, which the serial moves: resources with the same target are polled together, so the
   * events tell who has changed the state, and panels that are read at once at a start are not.
   */
  dueAt(resource: PolledResource): number {
    const { at, part, dueAt, triggerDueAt } = this.#times[resource]
    const target = this.pace.targets[resource]
    if (!this.pace.isConstant[resource] || at === Number.NEGATIVE_INFINITY)
      return Math.min(dueAt, at + part * target, triggerDueAt)
    return target * (Math.ceil((at + minGap) / target - this.#phase) + this.#phase)
  }

  /** Returns true if a resource is due because something else has triggered a poll: no earlier answer will do. */
  isTriggered(resource: PolledResource): boolean {
    return this.#times[resource].triggerDueAt <= this.#clock.monotonic()
  }

  /** Returns the place of a poll among the polls of all panels; a trigger moves it forward while it waits. */
  due(resource: PolledResource): PollDue {
    const { state, alarms, [resource]: times } = this.#times
    const targetMs = this.pace.targets[resource]
    const age = (now: number) => {
      // A status or a list of alarms shows most alarms, so what counts is the age of the later one: the polls of the two lie
      // between each other also where all polls wait.
      const isOfState = resource === 'state' || resource === 'alarms'
      const passed = isOfState ? 2 * (now - Math.max(state.at, alarms.at)) : now - times.at
      const sinceTrigger = times.isReadNow ? 0 : now - times.triggerDueAt
      return Math.max(passed / targetMs, sinceTrigger / triggerTargets[resource])
    }
    const factor = this.pace.factor(resource)
    const isSpare = !this.pace.state.hasListeners && (resource === 'state' || resource === 'alarms')
    return { weight: weights[resource], targetMs, age, factor, isSpare }
  }

  /**
   * Returns which of status and alarms a poll of the state reads: what is due, or nearly. Of two, it is the older one, in
   * relation to its target, and the other comes next.
   */
  dueOfState(): Readonly<Record<'state' | 'alarms', boolean>> {
    const [state, alarms] = [this.#latenessOf('state'), this.#latenessOf('alarms')]
    return { state: state >= 0 && state >= alarms, alarms: alarms >= 0 && alarms >= state }
  }

  /** Returns the age of a resource that is due, or nearly, in relation to its target; -1 if it is not due. */
  #latenessOf(resource: PolledResource): number {
    const now = this.#clock.monotonic()
    const target = this.pace.targets[resource]
    return this.dueAt(resource) - now <= maxEarly * target ? (now - this.#times[resource].at) / target : -1
  }

  /** Returns the time of the latest answer; -Infinity without one. */
  answeredAt(resource: PolledResource): number {
    return this.#times[resource].at
  }

  /**
   * Has a resource polled soon, because something else has changed: at most once in ten seconds for each cause. More often
   * it is put off, and never dropped. Nothing triggers a constant pace.
   */
  trigger(resource: PolledResource, cause: string): void {
    if (this.pace.isConstant[resource]) return
    const times = this.#times[resource]
    const servedAt = times.servedAt.get(cause) ?? Number.NEGATIVE_INFINITY
    const now = this.#clock.monotonic()
    times.triggeredAt = now
    times.triggerDueAt = Math.min(times.triggerDueAt, Math.max(now, servedAt + triggerGap))
    if (!times.causes.includes(cause)) times.causes = [...times.causes, cause]
    times.isReadNow = false
  }

  /**
   * Does the same for a caller that reads the resource itself, at once and faster than a poll. Returns false if it is put
   * off, and the caller must not read it.
   */
  triggerNow(resource: PolledResource, cause: string): boolean {
    this.trigger(resource, cause)
    const isNow = this.isTriggered(resource)
    this.#times[resource].isReadNow = isNow
    return isNow
  }

  /**
   * Moves the next poll of the alarms between two of the status, if both were answered together: an alarm that opens a
   * zone shows in either, so it shows sooner. At other targets they drift apart by themselves.
   */
  separateAlarms(): void {
    const { state, alarms } = this.#times
    const { targets, isConstant } = this.pace
    const areTogether = Math.abs(state.at - alarms.at) <= maxTogether
    const stayTogether = Number.isInteger(targets.alarms / targets.state)
    if (isConstant.alarms || !areTogether || !stayTogether) return
    const between = alarms.at + alarms.part * targets.alarms - targets.state / 2
    alarms.dueAt = Math.min(alarms.dueAt, Math.max(alarms.at, between))
  }

  /** Notes an answer, which may have been known before. */
  noteAnswer(resource: PolledResource, { at, sentAt }: Pick<Answer<unknown>, 'at' | 'sentAt'>): void {
    const times = this.#times[resource]
    if (sentAt <= times.sentAt) return
    const part = this.pace.isConstant[resource] ? 1 : this.#nextPart()
    Object.assign(times, { at, sentAt, part, dueAt: at + part * this.pace.targets[resource] })
    if (sentAt < times.triggeredAt) return
    if (times.causes.length > 0) {
      times.servedAt = new Map([...times.servedAt, ...times.causes.map((cause) => [cause, sentAt] as const)])
      times.causes = none
    }
    times.triggerDueAt = Number.POSITIVE_INFINITY
    times.isReadNow = false
  }

  #nextPart(): number {
    this.#polls += 1
    return 1 + maxJitter * (2 * phaseOf(`${this.#serial} ${this.#polls}`) - 1)
  }
}

function unknown(): Times {
  const [never, without] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  // One by one: the engine keeps spread members in a second object.
  return {
    at: never,
    sentAt: never,
    dueAt: never,
    part: 1,
    triggeredAt: never,
    triggerDueAt: without,
    isReadNow: false,
    causes: none,
    servedAt: noneServed,
  }
}

import { minute, second } from '../../duration.ts'
import type { PanelSettings } from '../panel-settings.ts'

/** The resources of a panel that are polled: the state is made of the status and the alarms. */
export type PolledResource = 'state' | 'alarms' | 'events' | 'devices'

/** Milliseconds between two polls of each resource. */
export type PollTargets = Readonly<Record<PolledResource, number>>

/**
 * The pace of each situation, in seconds between two polls. The simulated household from which the numbers are needs
 * 13,300 requests a day, at most 12 a minute while nothing happens.
 */
export const paces = {
  /** Half a minute decides: the person disarms, or it becomes an alarm. Either has events and devices read. */
  entryDelay: { state: 5, alarms: 5, events: 30, devices: 30 },
  /** An answer lacks something that may be there, or an alarm is being ended: the next answers decide. */
  unsettled: { state: 5, alarms: 10, events: 10, devices: 20 },
  /** The next zones, the cancel and the restore follow. More would fill the window, and events would wait. */
  alarm: { state: 10, alarms: 10, events: 10, devices: 20 },
  /** An exit delay or an own command: somebody waits for the state alone. */
  change: { state: 5, alarms: 20, events: 30, devices: 30 },
  /** Mobile data costs money, and a panel that is offline shows nothing new: 3,900 requests a day. */
  remote: { state: 60, alarms: 60, events: 120, devices: 360 },
  /** Changes come in groups: the door after the disarming, the window after the door. */
  recent: { state: 10, alarms: 17, events: 60, devices: 20 },
  /** Nobody is there: an alarm counts, or the return. */
  away: { state: 15, alarms: 15, events: 180, devices: 360 },
  /** The night: an alarm counts, and hardly anything moves. */
  home: { state: 15, alarms: 15, events: 180, devices: 360 },
  /** People are up: they arm, and open doors. A status need not show a fire, so the alarms are not far behind it. */
  busy: { state: 10, alarms: 17, events: 90, devices: 60 },
  /** Nothing has happened for half an hour. */
  quiet: { state: 15, alarms: 17, events: 90, devices: 120 },
} as const satisfies Readonly<Record<string, PollTargets>>

/** A situation with a pace of its own. */
export type PaceSituation = keyof typeof paces

/** The facts that decide the situation. Times are milliseconds of the monotonic clock, -Infinity without one. */
export interface PaceFacts {
  /** The delay that runs. */
  readonly delay: 'entry' | 'exit' | null
  /** The arming: away also stands for a state of the panel's own. */
  readonly armed: 'away' | 'home' | null
  /** The latest time at which an alarm or an entry delay was seen. */
  readonly alarmAt: number
  /** The time until which the effect of a command is awaited. */
  readonly awaitedUntil: number
  /** The time until which an answer is in doubt. */
  readonly doubtedUntil: number
  /** The time of the latest change of anything. */
  readonly changedAt: number
  /** True if the panel is offline, or has nothing but its mobile transport, and that is no sign of danger. */
  readonly isRemote: boolean
}

/** Milliseconds for which an alarm goes on after it was seen last. */
const alarmLasts = 5 * minute

/** Milliseconds after a change in which others follow, and in which the day is busy. */
const recentLasts = 2 * minute
const busyLasts = 30 * minute

/** Returns the situation of a panel. */
export function situationOf(facts: PaceFacts, now: number): PaceSituation {
  const { delay, armed, alarmAt, awaitedUntil, doubtedUntil, changedAt, isRemote } = facts
  if (delay === 'entry') return 'entryDelay'
  const isAlarm = now - alarmAt < alarmLasts
  const isChanging = delay === 'exit' || now < awaitedUntil
  if (now < doubtedUntil || (isAlarm && isChanging)) return 'unsettled'
  if (isAlarm) return 'alarm'
  if (isChanging) return 'change'
  if (isRemote) return 'remote'
  if (now - changedAt < recentLasts) return 'recent'
  if (armed === 'away') return 'away'
  if (now - changedAt < busyLasts) return 'busy'
  return armed === 'home' ? 'home' : 'quiet'
}

/**
 * Milliseconds within which an announced change shows if it shows at all, and in which a doubt makes the polls more
 * frequent: a panel that is out of reach can end none. A delay can exceed its length by as much.
 */
const maxDuration = minute

/** The states of a partition in which people are at home although it is armed. */
const armedAtHome: readonly string[] = ['HOME', 'NIGHT']

/** The states that are not armed. During an alarm and a delay, that alone decides the pace. */
const unarmed: readonly string[] = ['DISARM', 'PROGRAMMING', 'ENTRY_DELAY', 'ARMING', 'ALARM']

/** The states in which nobody guards anything, and no delay or alarm runs. */
const disarmed: readonly string[] = ['DISARM', 'PROGRAMMING']

/** The part of a partition's state that decides the pace. */
interface PacedPartition {
  readonly id: number
  readonly value: string
  readonly status: string
  readonly ready: boolean | null
  /** Seconds; null if it is not known. */
  readonly exitDelay: number | null
  readonly alarms: readonly unknown[]
}

/** The part of a state with which the next one is compared. */
type SeenPartition = Pick<PacedPartition, 'value' | 'ready'> & { readonly alarms: string }

/**
 * Notes what goes on in a panel, so that it is polled as often as is worthwhile.
 *
 * It changes during an exit or entry delay, and from the announcement of a change until one is seen: a command may be
 * done before the service shows it. Both end after a limit. Times are milliseconds of the monotonic clock, passed in.
 */
export class StateActivity {
  /** True if the panel has nothing but its mobile transport. */
  isMobileOnly = false
  /** True if it had nothing else before it was armed: then it has lost no line. */
  #wasMobileOnly = false
  #awaitedUntil = Number.NEGATIVE_INFINITY
  #delayedUntil = Number.NEGATIVE_INFINITY
  #alarmAt = Number.NEGATIVE_INFINITY
  #changedAt = Number.NEGATIVE_INFINITY
  /** The time since when something is in doubt. */
  #doubtedSince: number | undefined
  #delay: PaceFacts['delay'] = null
  #armed: PaceFacts['armed'] = null
  #latest: Readonly<Record<number, SeenPartition>> | undefined

  /** Notes that the state is about to change. */
  expectChange(now: number): void {
    this.#awaitedUntil = now + maxDuration
  }

  /** Notes that nobody can tell if something is over, until `endDoubt`, and for a minute at most. */
  noteDoubt(now: number): void {
    this.#doubtedSince ??= now
  }

  /** Notes that two answers agree. */
  endDoubt(): void {
    this.#doubtedSince = undefined
  }

  /** Notes that events or devices have shown a change, such as an alarm. */
  noteChange(now: number, isAlarm = false): void {
    this.#changedAt = now
    if (isAlarm) this.#alarmAt = now
  }

  /**
   * Processes the current state. Returns what differs from the state before: a value, which is returned, the alarms, or a
   * readiness; null if nothing does, and for the first one.
   */
  noteState(partitions: readonly PacedPartition[], now: number): string | null {
    let [hasEntry, hasExit, hasAlarm, isArmed, isAway, longest] = [false, false, false, false, false, 0]
    let isDisarmed = true
    // One loop: this is done for each poll.
    for (const { value, status, exitDelay } of partitions) {
      hasEntry ||= value === 'ENTRY_DELAY'
      hasExit ||= status === 'EXIT'
      hasAlarm ||= value === 'ALARM'
      isArmed ||= !unarmed.includes(value)
      isDisarmed &&= disarmed.includes(value)
      isAway ||= !unarmed.includes(value) && !armedAtHome.includes(value)
      longest = Math.max(longest, exitDelay ?? 0)
    }
    const { value, other } = this.#changeTo(partitions)
    if (value !== null || this.#delayedUntil === Number.NEGATIVE_INFINITY)
      this.#delayedUntil = now + second * longest + maxDuration
    if (value !== null) this.#awaitedUntil = Number.NEGATIVE_INFINITY
    this.#delay = hasEntry ? 'entry' : hasExit ? 'exit' : null
    this.#armed = isAway ? 'away' : isArmed ? 'home' : null
    this.#wasMobileOnly = this.isMobileOnly && (isDisarmed || this.#wasMobileOnly)
    if (hasAlarm || (hasEntry && now < this.#delayedUntil)) this.#alarmAt = now
    const change = value ?? other
    if (change !== null) this.#changedAt = now
    return change
  }

  /** Notes the partitions, and returns the new value of one, and what else differs. */
  #changeTo(partitions: readonly PacedPartition[]): { value: string | null; other: string | null } {
    const before = this.#latest
    const latest: Record<number, SeenPartition> = {}
    let newValue: string | null = null
    let other: string | null = null
    for (const { id, value, ready, alarms } of partitions) {
      const look = { value, ready, alarms: JSON.stringify(alarms) }
      const known = before?.[id]
      latest[id] = look
      if (before === undefined) continue
      if (known?.value !== value) newValue ??= value
      else if (known.alarms !== look.alarms) other = 'alarms'
      else if (known.ready !== ready) other ??= 'ready'
    }
    this.#latest = latest
    return { value: newValue, other }
  }

  /** Returns the situation that decides the pace. @param isOnline false if the service does not reach the panel */
  situation(now: number, isOnline: boolean): PaceSituation {
    return situationOf(
      {
        delay: now < this.#delayedUntil ? this.#delay : null,
        armed: this.#armed,
        ...{ alarmAt: this.#alarmAt, changedAt: this.#changedAt, awaitedUntil: this.#awaitedUntil },
        doubtedUntil: (this.#doubtedSince ?? Number.NEGATIVE_INFINITY) + maxDuration,
        // Who breaks in cuts the line first: what is lost while a partition is armed slows nothing.
        isRemote:
          this.#armed === null
            ? !isOnline || this.isMobileOnly
            : isOnline && this.isMobileOnly && this.#wasMobileOnly,
      },
      now,
    )
  }
}

/** The situations in which the state is polled faster than its constant pace says. */
const hurried: readonly PaceSituation[] = ['entryDelay', 'unsettled', 'change']

/** The situations in which somebody may be in danger, or waits: the budget of the day slows nothing down in them. */
const urgent: readonly PaceSituation[] = [...hurried, 'alarm']

/** The most by which the budget of the day slows the status and the alarms down: they show the next danger. */
const maxDayFactor = 4

/**
 * The growth of each target where the polls want more than the minute has, in relation to that of the state: the alarms
 * grow least. The simulated household did best with these.
 */
const growths: PollTargets = { state: 1, alarms: 0.6, events: 1.5, devices: 2.3 }

/** The part of the minute that the polls leave to what a change has read: it would wait for a place otherwise. */
const headroom = 0.1

/** The seconds of which the target of a state grows at most: many quiet panels are disarmed as soon as busy ones are armed. */
const maxGrowingState = 12

/** The budgets of an account that slow the pace down. */
export interface PaceBudget {
  /** The factor by which the requests of the day are used too fast. */
  readonly paceFactor: number
  /** The requests that all polls of the account want, in relation to those that polls can use in a minute. */
  readonly pollLoad: number
}

/** A budget that slows nothing down. */
const unlimited: PaceBudget = { paceFactor: 1, pollLoad: 0 }

/**
 * Returns the milliseconds between two polls of each resource.
 * @param settings the intervals that the user has entered, in milliseconds: each is a constant pace; null leaves one to the situation
 */
export function targetsOf(
  situation: PaceSituation,
  {
    stateEvery,
    eventsEvery,
    devicesEvery,
  }: Pick<PanelSettings, 'stateEvery' | 'eventsEvery' | 'devicesEvery'>,
  budget: PaceBudget = unlimited,
): PollTargets {
  const pace = paces[situation]
  const isFixed = stateEvery !== null && eventsEvery !== null && devicesEvery !== null
  const { paceFactor, pollLoad } = isFixed ? unlimited : budget
  const dayFactor = urgent.includes(situation) ? 1 : paceFactor
  // The day's factor makes room in the minute, too.
  const growth = Math.max(0, ((1 + headroom) * pollLoad) / dayFactor - 1)
  const paced = (resource: PolledResource, seconds: number = pace[resource], maxFactor = maxDayFactor) =>
    Math.min(dayFactor, maxFactor) *
    second *
    Math.max(pace[resource], seconds * (1 + growth * growths[resource]))
  const fastest = hurried.includes(situation) ? pace.state * second : Number.POSITIVE_INFINITY
  return {
    state:
      stateEvery === null
        ? paced('state', Math.min(pace.state, maxGrowingState))
        : Math.min(stateEvery, fastest),
    alarms: stateEvery ?? paced('alarms'),
    events: eventsEvery ?? paced('events', pace.events, dayFactor),
    devices: devicesEvery ?? paced('devices', pace.devices, dayFactor),
  }
}

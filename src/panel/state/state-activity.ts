import { minute, second } from '../../duration.ts'
import type { PaceFacts } from '../polling/pace.ts'
import type { PartitionState } from './partition-state.ts'

/**
 * Milliseconds within which an announced change shows if it shows at all, and in which a doubt makes the polls more
 * frequent: a panel that is out of reach can end none. A delay can exceed its length by as much.
 */
const maxDuration = minute

/** The states of a partition in which people are at home although it is armed. */
const armedAtHome: readonly string[] = ['HOME', 'NIGHT']

/** The states that are not armed. During an alarm and a delay, that alone decides the pace. */
const unarmed: readonly string[] = ['DISARM', 'PROGRAMMING', 'ENTRY_DELAY', 'ARMING', 'ALARM']

/** The part of a state with which the next one is compared. */
interface Look {
  value: string
  ready: boolean | null
  alarms: string
}

/**
 * Notes what goes on in the state of a panel, so that it is polled as often as is worthwhile.
 *
 * It changes during an exit or entry delay, and from the announcement of a change until one is seen: a command may be
 * done before the service shows it. Both end after a limit. Times are milliseconds of the monotonic clock, passed in.
 */
export class StateActivity {
  /** True if the panel has nothing but its mobile transport. */
  isMobileOnly = false
  #awaitedUntil = Number.NEGATIVE_INFINITY
  #delayedUntil = Number.NEGATIVE_INFINITY
  #alarmAt = Number.NEGATIVE_INFINITY
  #changedAt = Number.NEGATIVE_INFINITY
  /** The time since when something is in doubt. */
  #doubtedSince: number | undefined
  #delay: PaceFacts['delay'] = null
  #armed: PaceFacts['armed'] = null
  #latest: Readonly<Record<number, Look>> | undefined

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

  /**
   * Processes the current state. Returns what differs from the state before: a value, which is returned, the alarms, or a
   * readiness; null if nothing does, and for the first one.
   */
  noteState(partitions: readonly PartitionState[], now: number): string | null {
    let [hasEntry, hasExit, hasAlarm, isArmed, isAway, longest] = [false, false, false, false, false, 0]
    // One loop: this is done for each poll.
    for (const { value, status, exitDelay } of partitions) {
      hasEntry ||= value === 'ENTRY_DELAY'
      hasExit ||= status === 'EXIT'
      hasAlarm ||= value === 'ALARM'
      isArmed ||= !unarmed.includes(value)
      isAway ||= !unarmed.includes(value) && !armedAtHome.includes(value)
      longest = Math.max(longest, exitDelay ?? 0)
    }
    const { value, other } = this.#changeTo(partitions)
    if (value !== null || this.#delayedUntil === Number.NEGATIVE_INFINITY)
      this.#delayedUntil = now + second * longest + maxDuration
    if (value !== null) this.#awaitedUntil = Number.NEGATIVE_INFINITY
    this.#delay = hasEntry ? 'entry' : hasExit ? 'exit' : null
    this.#armed = isAway ? 'away' : isArmed ? 'home' : null
    if (hasAlarm || (hasEntry && now < this.#delayedUntil)) this.#alarmAt = now
    const change = value ?? other
    if (change !== null) this.#changedAt = now
    return change
  }

  /** Notes the partitions, and returns the new value of one, and what else differs. */
  #changeTo(partitions: readonly PartitionState[]): { value: string | null; other: string | null } {
    const before = this.#latest
    const latest: Record<number, Look> = {}
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

  /** Returns what is known now. */
  facts(now: number): Omit<PaceFacts, 'isRemote'> & { isMobileOnly: boolean } {
    return {
      delay: now < this.#delayedUntil ? this.#delay : null,
      armed: this.#armed,
      alarmAt: this.#alarmAt,
      awaitedUntil: this.#awaitedUntil,
      doubtedUntil: (this.#doubtedSince ?? Number.NEGATIVE_INFINITY) + maxDuration,
      changedAt: this.#changedAt,
      isMobileOnly: this.isMobileOnly,
    }
  }
}

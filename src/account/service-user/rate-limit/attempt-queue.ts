import type { QueueAddOptions } from 'p-queue'
import type { Clock } from '../../../clock.ts'
import { hour, minute, second } from '../../../duration.ts'
import { asKeyholderError } from '../../../service/error.ts'
import type { RateLimitStore } from './rate-limit-store.ts'

/** A call in the form that p-queue passes. */
type Run = () => Promise<unknown>

interface Waiting {
  /** The id that p-queue gives the call. */
  id: string | undefined
  run: Run
}

/** The wish of a poll that becomes more urgent with the age of what is known. */
export interface PollDue {
  /** The importance of the resource, in relation to others. */
  readonly weight: number
  /** Milliseconds between two answers that are wished for. */
  readonly targetMs: number
  /**
   * Returns the age of what is known in relation to what is wished for: 1 when the poll is due, more where it waits, and
   * Infinity before the first answer. It is asked at each free place.
   * @param now milliseconds of the monotonic clock
   */
  age(now: number): number
  /** The factor by which the target has grown because of the budgets; 1 without it, as for a fixed interval. */
  readonly factor?: number
  /** True for a poll that nobody listens to: it takes only the places that no other poll waits for. */
  readonly isSpare?: boolean
}

interface WaitingPoll extends Waiting {
  due: PollDue
}

/** The queue options of a call: calls of different panels take turns, and polls go by age. */
export interface AttemptOptions extends QueueAddOptions {
  /** The panel that takes its turn; calls without a panel share one turn. */
  panel?: string | undefined
  /** 0 or a small integer: calls with a higher one go first, whatever the turns and ages are. */
  priority?: number
  /** The place of a poll without a priority among all of them; without it, panels take turns. */
  due?: PollDue | undefined
}

/** No poll becomes more than this many times as old, in relation to its target, as one that goes before it. */
const maxAgeRatio = 2.5

/**
 * Returns the place of the poll that goes first: the one with the largest weight × age / target. A light one that has
 * become much older than that goes before it, so that nobody starves. Of equal ones, the first goes first. A poll that
 * nobody listens to goes after all others.
 * @param now milliseconds of the monotonic clock
 */
export function placeOfNext(polls: readonly { readonly due: PollDue }[], now: number): number {
  const areAllSpare = polls.every(({ due }) => due.isSpare)
  let heaviest = { place: -1, age: 0, weighted: Number.NEGATIVE_INFINITY }
  let oldest = { place: -1, age: Number.NEGATIVE_INFINITY }
  for (const [place, { due }] of polls.entries()) {
    if (due.isSpare && !areAllSpare) continue
    const age = due.age(now)
    if (due.weight * age > heaviest.weighted) heaviest = { place, age, weighted: due.weight * age }
    if (age > oldest.age) oldest = { place, age }
  }
  return oldest.age > maxAgeRatio * heaviest.age ? oldest.place : heaviest.place
}

/**
 * The queue of a lane. Calls with a priority go first. Of the others, polls go by age, over all panels; of the calls
 * without an age, the panels take turns, each first in, first out. While both kinds wait, they alternate.
 *
 * p-queue's own queue would run 200 waiting calls of one panel before the first of another.
 */
export class AttemptQueue {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** The lines of the panels, by priority. */
  readonly #turns: Map<string, Waiting[]>[] = []
  readonly #polls: WaitingPoll[] = []
  #wasTurn = false
  size = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  enqueue(run: Run, { panel = '', priority = 0, due, id }: Partial<AttemptOptions> = {}): void {
    this.size += 1
    if (due !== undefined && priority === 0) {
      this.#polls.push({ id, run, due })
      return
    }
    while (this.#turns.length <= priority) this.#turns.push(new Map())
    const lines = this.#turns[priority]
    const line = lines?.get(panel)
    if (line === undefined) lines?.set(panel, [{ id, run }])
    else line.push({ id, run })
  }

  dequeue(): Run | undefined {
    const priority = this.#turns.findLastIndex(({ size }) => size > 0)
    const isPoll = this.#polls.length > 0 && (priority < 0 || (priority === 0 && this.#wasTurn))
    this.#wasTurn = !isPoll
    const run = isPoll
      ? this.#polls.splice(placeOfNext(this.#polls, this.#clock.monotonic()), 1)[0]?.run
      : this.#takeTurn(priority)
    if (run !== undefined) this.size -= 1
    return run
  }

  /** Returns all waiting calls; p-queue filters by options that we do not use. */
  filter(): Run[] {
    const waiting = this.#turns.flatMap((lines) => [...lines.values()].flat())
    return [...waiting, ...this.#polls].map(({ run }) => run)
  }

  /** Removes an aborted call. p-queue identifies it by id if the queue class is not its own. */
  remove(idOrRun: string | Run): void {
    if (this.#removeFrom(this.#polls, idOrRun)) return
    for (const lines of this.#turns) {
      for (const [panel, line] of lines) {
        if (!this.#removeFrom(line, idOrRun)) continue
        if (line.length === 0) lines.delete(panel)
        return
      }
    }
  }

  /** Does nothing: the priority of a call never changes. */
  setPriority(): void {}

  #takeTurn(priority: number): Run | undefined {
    const lines = this.#turns[priority]
    const next = lines?.entries().next()
    if (lines === undefined || next === undefined || next.done) return undefined
    const [panel, line] = next.value
    const run = line.shift()?.run
    // Deleted and set again, the panel moves to the end of the map, so its next turn comes last.
    lines.delete(panel)
    if (line.length > 0) lines.set(panel, line)
    return run
  }

  /** Returns true if it was there. */
  #removeFrom(line: Waiting[], idOrRun: string | Run): boolean {
    const place = line.findIndex(({ id, run }) => id === idOrRun || run === idOrRun)
    if (place < 0) return false
    line.splice(place, 1)
    this.size -= 1
    return true
  }
}

/** Milliseconds beyond its timeout for which an attempt may hold its place: its answer is noted on the disk or in the cluster. */
const grace = 5 * second

/** The place of an attempt in the queue, which nobody else can have meanwhile. */
export interface HeldPlace {
  /** True when the place was taken away. */
  readonly isOver: boolean
  /** Closes the connection of the attempt, once it has one. Must not throw. */
  cutOff(): void
  /** Counts the time anew, after a wait that is no attempt. */
  beginAnew(): void
}

/**
 * Runs a work that holds a place in the queue. What does not end by itself ends here: its connection is closed, and the place
 * is free for the next attempt.
 * @param timeout milliseconds after which an attempt has ended by itself; without it there is no watch
 * @throws KeyholderError INTERNAL_ERROR some seconds after the timeout
 * @throws the errors of `work`
 */
export function whileHeld<T>(
  clock: Clock,
  timeout: number | undefined,
  work: (place: HeldPlace) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeAway = () => {
      place.isOver = true
      place.cutOff()
      reject(asKeyholderError(new Error('a request has held its place beyond its timeout')))
    }
    const watch = () => (timeout === undefined ? () => {} : clock.after(timeout + grace, takeAway))
    let cancel = watch()
    const beginAnew = () => {
      cancel()
      cancel = watch()
    }
    const place = { isOver: false, cutOff: () => {}, beginAnew }
    work(place)
      .finally(() => cancel())
      .then(resolve, reject)
  })
}

/** A polled resource of a panel. */
interface PolledResource {
  panel: string | undefined
  /** Requests a minute that are wanted, whatever the budgets are. */
  wanted: number
  /** The time after which it is not polled any more; Infinity while a poll waits. */
  until: number
}

/** The requests that the polls of a process want, and those that they get. Times are milliseconds of the monotonic clock. */
export class PollDemand {
  readonly #resources = new Map<string, PolledResource>()
  #wanted = 0
  /** The time at which resources were last forgotten: each poll asks, and with many panels there are many. */
  #forgottenAt = Number.NEGATIVE_INFINITY
  /** The starts of the last minute, oldest first. */
  readonly #starts: number[] = []

  /**
   * Notes that a poll waits. Returns a function to call once when it has started or left.
   * @param resource names what is polled
   */
  wait(
    panel: string | undefined,
    resource: string,
    { targetMs, factor = 1, isSpare = false }: PollDue,
  ): (now: number) => void {
    // The polls that a node listens to never slow down for those that nobody does.
    const wanted = isSpare ? 0 : (factor * minute) / targetMs
    const polled = { panel, wanted, until: Number.POSITIVE_INFINITY }
    const key = `${panel} ${resource}`
    this.#wanted += polled.wanted - (this.#resources.get(key)?.wanted ?? 0)
    this.#resources.set(key, polled)
    return (now) => {
      polled.until = now + 3 * targetMs + minute
    }
  }

  /** Notes that a poll has started. */
  noteStart(now: number): void {
    this.#starts.push(now)
  }

  /** Returns the requests a minute that the polls want at their targets, had these not grown. */
  wanted(now: number): number {
    this.#forget(now)
    return Math.round(10 * this.#wanted) / 10
  }

  /** Returns the number of panels that are polled. */
  panels(now: number): number {
    this.#forget(now)
    return new Set([...this.#resources.values()].map(({ panel }) => panel)).size
  }

  /** Returns the polls that started in the last minute. */
  started(now: number): number {
    while (now - (this.#starts[0] ?? now) >= minute) this.#starts.shift()
    return this.#starts.length
  }

  /** Forgets what is not polled any more, at most once a second. */
  #forget(now: number): void {
    if (now - this.#forgottenAt < second) return
    this.#forgottenAt = now
    this.#wanted = 0
    for (const [key, { until, wanted }] of this.#resources) {
      if (until < now) this.#resources.delete(key)
      else this.#wanted += wanted
    }
  }
}

/** Milliseconds between two looks at what holds the polls back. */
const lookEvery = 10 * second

/** Milliseconds for which polls must be held back before it is told: a burst or a start is over by then. */
const tellAfter = 10 * minute

/** Milliseconds for which polls must not be held back before it is told again. */
const overAfter = hour

/** Decides when it is told that the budget holds more than a third of the polls back: once, until it is over for an hour. */
export class HeldBackWarning {
  #lookedAt = Number.NEGATIVE_INFINITY
  #since: number | undefined
  #latest = Number.NEGATIVE_INFINITY
  #isTold = false

  /**
   * Returns the sentence that is to be told after the start of a poll; undefined for none.
   * @param day has the factor by which the requests of the day are used too fast
   */
  sentenceAt(
    now: number,
    demand: PollDemand,
    store: Pick<RateLimitStore, 'limit' | 'used'>,
    day: { readonly paceFactor: number },
  ): string | undefined {
    if (now - this.#lookedAt < lookEvery) return undefined
    this.#lookedAt = now
    const [wanted, started] = [demand.wanted(now), demand.started(now)]
    const areHeldBack = wanted > 1.5 * started
    // An outage, or a slow service, holds polls back too.
    const isMinute = areHeldBack && store.used >= 0.8 * store.limit
    const isDay = areHeldBack && day.paceFactor > 1.2
    if (!this.#isNews(isMinute || isDay, now)) return undefined
    return isMinute
      ? `The panels of this account want ${Math.round(wanted)} requests a minute, and ${started} are possible. So news comes later. In the alarm account node, raise "Request limit" as far as your provider allows; or use fewer panels, or longer intervals.`
      : 'The panels of this account use the requests of a day faster than the day passes, so they are polled less often, and news comes later. In the alarm account node, raise "Requests per day" as far as your provider allows; or use fewer panels, or longer intervals.'
  }

  /** Notes if the polls are held back now. Returns true if it is to be told. */
  #isNews(isHeldBack: boolean, now: number): boolean {
    if (!isHeldBack) {
      this.#since = undefined
      if (now - this.#latest >= overAfter) this.#isTold = false
      return false
    }
    this.#latest = now
    this.#since ??= now
    if (this.#isTold || now - this.#since < tellAfter) return false
    this.#isTold = true
    return true
  }
}

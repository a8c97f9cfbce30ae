/** The sources from which nodes know the world; each is polled. `alarms` is the list of alarms, which comes with the state. */
export type Source = 'state' | 'alarms' | 'events' | 'devices'

/** An ability that nodes may lack: to know what a source shows, or to send commands. */
type Ability = Source | 'commands'

/** All sources. */
export const sources: readonly Source[] = ['state', 'alarms', 'events', 'devices']

/** Milliseconds between two polls of each source. */
export type PollEvery = Readonly<Record<Source, number>>

/** The intervals that a house has set. */
export const fixedIntervals: PollEvery = {
  state: 30_000,
  alarms: 30_000,
  events: 60_000,
  devices: 60_000,
}

/** The longest intervals of a panel's own pace, which follows what happens (docs/settings.md). */
export const longestIntervals: PollEvery = {
  state: 60_000,
  alarms: 60_000,
  events: 180_000,
  devices: 360_000,
}

/** Milliseconds for the requests of a poll, and for the look of the test that follows it. */
const slack = 20_000

/** A time in which a source does not show the world, in milliseconds of the monotonic clock. */
export interface BlindTime {
  from: number
  to: number
}

/**
 * The times in which nodes cannot know the world: they do not run, an answer lacks something, an event is on its way. What
 * was true before such a time may be told until the polls after it.
 */
export class BlindTimes {
  readonly #times: Record<Ability, BlindTime[]> = {
    state: [],
    alarms: [],
    events: [],
    devices: [],
    commands: [],
  }
  readonly #wrong: Record<Source, BlindTime[]> = { state: [], alarms: [], events: [], devices: [] }
  readonly #common: BlindTimes | undefined
  readonly pollEvery: PollEvery

  /** @param common the times of all instances, which are times of this one, too */
  constructor(pollEvery: PollEvery, common?: BlindTimes) {
    this.pollEvery = pollEvery
    this.#common = common
  }

  /** Adds a time for one source, or for all and for commands. */
  add(from: number, to: number, ...some: readonly Ability[]): void {
    for (const source of some.length > 0 ? some : ([...sources, 'commands'] as const))
      this.#times[source].push({ from, to })
  }

  /** Adds a time for one source that is not over; the caller sets its end. */
  open(from: number, source: Ability): BlindTime {
    const time = { from, to: Number.POSITIVE_INFINITY }
    this.#times[source].push(time)
    return time
  }

  /** Adds a time in which a source shows what is not true; the caller sets its end. */
  openWrong(from: number, source: Source): BlindTime {
    const time = { from, to: Number.POSITIVE_INFINITY }
    this.#wrong[source].push(time)
    return time
  }

  /** Returns true if a source showed what was not true at some moment between two, or within two polls before them. */
  isWrong(source: Source, from: number, to: number): boolean {
    const reach = 2 * this.pollEvery[source] + slack
    return this.#wrongOf(source).some((time) => time.from <= to && time.to + reach >= from)
  }

  /** Returns the end of the blind time of a source in which a moment lies; else the moment. */
  endOf(source: Source, at: number): number {
    return Math.max(
      at,
      ...this.#timesOf(source)
        .filter(({ from, to }) => from <= at && to >= at)
        .map(({ to }) => to),
    )
  }

  /** Returns true if a source was blind at some moment between two, or nodes could send no commands. */
  isBlind(source: Ability, from: number, to: number): boolean {
    return this.#timesOf(source).some((time) => time.from <= to && time.to >= from)
  }

  /** Returns true if a source showed the world, and what was true, all the time between two moments. */
  isCertain(source: Source, from: number, to: number): boolean {
    return !this.isBlind(source, from, to) && !this.isWrong(source, from, to)
  }

  /**
   * Returns the earliest moment whose truth may be told at a moment.
   * @param polls the number of polls within which something must be told
   */
  earliest(source: Source, now: number, polls: number): number {
    const bound = polls * this.pollEvery[source] + slack
    let earliest = now - bound
    // Each time reaches back to what was known before it, where another one may have ended.
    const times = this.#timesOf(source)
    for (;;) {
      const reaching = times.filter(({ from, to }) => to >= earliest && from - bound < earliest)
      if (reaching.length === 0) return earliest
      earliest = Math.min(...reaching.map(({ from }) => from - bound))
    }
  }

  #timesOf(source: Ability): readonly BlindTime[] {
    const own = this.#times[source]
    return this.#common === undefined ? own : [...this.#common.#timesOf(source), ...own]
  }

  #wrongOf(source: Source): readonly BlindTime[] {
    const own = this.#wrong[source]
    return this.#common === undefined ? own : [...this.#common.#wrongOf(source), ...own]
  }
}

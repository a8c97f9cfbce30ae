import { ageOf, type Clock, type Moment, momentOf } from '../../clock.ts'

/** A time that the server told. */
interface Told {
  time: number
  /** The times at which the question was sent and the answer was there, in milliseconds of the monotonic clock. */
  asked: number
  answered: number
}

/** The number of answers of which the quickest counts: the first ones of a new process come late. */
const maxAnswers = 10

/**
 * The clock that all instances share, estimated on the monotonic clock from the quickest of the latest answers, as
 * NTP does.
 */
export class SharedClock {
  readonly #clock: Clock
  #answers: Told[] = []
  #latest = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes a time that the server told. */
  note(time: number, asked: number, answered: number): void {
    this.#answers = [...this.#answers.slice(1 - maxAnswers), { time, asked, answered }]
  }

  /** Forgets everything: the server begins anew, with another time. */
  reset(): void {
    this.#answers = []
    this.#latest = 0
  }

  /** Returns the estimated milliseconds of the shared clock, which never go back; 0 while it is not known. */
  now(): number {
    const told = this.#quickest()
    if (told === undefined) return 0
    const estimate = told.time + this.#clock.monotonic() - (told.asked + told.answered) / 2
    this.#latest = Math.max(this.#latest, estimate)
    return this.#latest
  }

  /** Returns the latest time that it can be now if the shared clock runs evenly; 0 while it is not known. */
  latestPossible(): number {
    const told = this.#quickest()
    return told === undefined ? 0 : Math.ceil(told.time + this.#clock.monotonic() - told.asked)
  }

  /** Returns a time of the monotonic clock of this process on the shared clock. */
  shared(time: number): number {
    return this.now() + time - this.#clock.monotonic()
  }

  /** Returns a time of the shared clock on the monotonic clock of this process: that of another machine means nothing here. */
  local(time: number): number {
    return this.#clock.monotonic() + time - this.now()
  }

  /** Returns a moment of this machine on the shared clock. */
  sharedMoment(moment: Moment): number {
    return this.now() - ageOf(moment, momentOf(this.#clock))
  }

  /** Returns a time of the shared clock as a moment of this machine; one in the future is now. */
  localMoment(time: number): Moment {
    const { wall, monotonic, boot } = momentOf(this.#clock)
    const age = Math.max(0, this.now() - time)
    return { wall: Math.ceil(wall - age), monotonic: Math.ceil(monotonic - age), boot }
  }

  #quickest(): Told | undefined {
    const roundTrip = ({ asked, answered }: Told) => answered - asked
    let quickest: Told | undefined
    for (const told of this.#answers)
      if (quickest === undefined || roundTrip(told) <= roundTrip(quickest)) quickest = told
    return quickest
  }
}

import type { Clock } from '../../src/clock.ts'

interface Timer {
  due: number
  callback: () => void
}

/** A clock that stands still until a test advances it; it starts at 2026-11-20 12:00:00 UTC. */
export class FakeClock implements Clock {
  /** The number that this process has made. */
  static made = 0
  #monotonic = 0
  #wall: number
  #timers: Timer[] = []

  constructor(start = Date.UTC(2026, 10, 20, 12, 0, 0)) {
    this.#wall = start
    FakeClock.made += 1
  }

  /** The number of timers that have not run yet. */
  get pending(): number {
    return this.#timers.length
  }

  /** Milliseconds until the next timer; undefined if there is no timer. */
  get untilNext(): number | undefined {
    const next = this.#dueBy(Number.POSITIVE_INFINITY)
    return next && next.due - this.#monotonic
  }

  monotonic(): number {
    return this.#monotonic
  }

  wall(): number {
    return this.#wall
  }

  after(delay: number, callback: () => void): () => void {
    const timer = { due: this.#monotonic + Math.max(0, delay), callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Advances by `ms` milliseconds and runs the timers that are due by then, in order, each at its own time. */
  advance(ms: number): void {
    const end = this.#monotonic + ms
    for (let next = this.#dueBy(end); next; next = this.#dueBy(end)) {
      this.#pass(Math.max(0, next.due - this.#monotonic))
      this.#timers.splice(this.#timers.indexOf(next), 1)
      next.callback()
    }
    // A timer may have stalled the clock beyond the end.
    this.#pass(Math.max(0, end - this.#monotonic))
  }

  /** Lets time pass without running timers, as while the event loop is busy; the due ones run late, at the next advance. */
  stall(ms: number): void {
    this.#pass(ms)
  }

  /** Changes the wall clock only, as a time server or a person does. */
  stepWall(ms: number): void {
    this.#wall += ms
  }

  /** Returns the next timer that is due by `end`; of several the one that was set first. */
  #dueBy(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.due <= end && (!first || timer.due < first.due)) first = timer
    }
    return first
  }

  #pass(ms: number): void {
    this.#monotonic += ms
    this.#wall += ms
  }
}

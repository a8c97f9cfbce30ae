import { readFileSync } from 'node:fs'
import { second } from './duration.ts'
import { closedError } from './service/error.ts'

/** The two clocks of the account and the panel, injected so that a test can control them. */
export interface Clock {
  /**
   * Milliseconds on a clock that changes of the wall clock do not affect. All processes share it until the
   * machine restarts. Use it for intervals, windows and ages.
   */
  monotonic(): number
  /** Milliseconds since 1970 on the wall clock. Use it for times shown to people, never for intervals. */
  wall(): number
  /** Identifies the current start of the machine; undefined or absent if the system does not tell. */
  readonly boot?: string | undefined
  /**
   * Calls `callback`, which must not throw, once after `delay` milliseconds or a little later, never earlier. Returns a
   * cancel function.
   */
  after(delay: number, callback: () => void): () => void
}

/** A moment on both clocks, for a file that outlives the process, perhaps even the start of the machine. */
export interface Moment {
  /** Milliseconds since 1970. */
  wall: number
  /** Milliseconds of the monotonic clock, which continues across processes until the machine restarts. */
  monotonic: number
  boot?: string | undefined
}

/** Returns the current moment, in whole milliseconds. */
export function momentOf(clock: Clock): Moment {
  return { wall: Math.ceil(clock.wall()), monotonic: Math.ceil(clock.monotonic()), boot: clock.boot }
}

/**
 * Returns the milliseconds since a moment. The wall clock is used only if the machine was restarted
 * meanwhile, since it may have been set; a moment in its future then counts as now.
 */
export function ageOf({ wall, monotonic, boot }: Moment, now: Moment): number {
  const isKnown = boot !== undefined && now.boot !== undefined
  const isSameBoot = monotonic <= now.monotonic && (!isKnown || boot === now.boot)
  return isSameBoot ? now.monotonic - monotonic : Math.max(0, now.wall - wall)
}

/**
 * Returns the milliseconds since a moment of this process, with those in which the machine slept: the monotonic clock may
 * stand still then. A wall clock that is put forward makes an age too long, so that an answer is requested once more; one
 * that is put back changes nothing.
 */
export function ageWithSleep({ wall, monotonic }: Omit<Moment, 'boot'>, clock: Clock): number {
  return Math.max(clock.monotonic() - monotonic, clock.wall() - wall)
}

/** A time in which this machine's clock was not set. */
export interface ClockEpoch {
  /** The milliseconds since 1970 at which the monotonic clock was 0, by the clock of that time. */
  readonly epoch: number
  /** Milliseconds of the monotonic clock: the begin and the latest look. Where the clock was set between two looks, both include it. */
  readonly from: number
  readonly to: number
}

/** The number of epochs that are remembered: nobody sets a clock so often in the days for which an alarm is noted. */
const maxEpochs = 20

/** Notices that somebody, or a time server, has set this machine's clock since the process began. */
export class ClockEpochs {
  readonly #clock: Pick<Clock, 'wall' | 'monotonic'>
  #epochs: readonly ClockEpoch[] = []

  constructor(clock: Pick<Clock, 'wall' | 'monotonic'>) {
    this.#clock = clock
    this.look()
  }

  /** Looks at the clock; returns the epochs so far, the present one last. */
  look(): readonly ClockEpoch[] {
    const now = this.#clock.monotonic()
    const epoch = this.#clock.wall() - now
    const latest = this.#epochs.at(-1)
    const before = latest === undefined ? [] : [...this.#epochs.slice(0, -1), { ...latest, to: now }]
    const isSame = latest !== undefined && Math.abs(epoch - latest.epoch) < second
    this.#epochs = isSame ? before : [...before, { epoch, from: latest?.to ?? 0, to: now }].slice(-maxEpochs)
    return this.#epochs
  }
}

/** Returns the time of a noted time of this machine's clock, as the clock of now would show it; one of an earlier process stays as it is. */
export function byClockOfNow(noted: number, epochs: readonly ClockEpoch[]): number {
  const own = epochs.findLast(({ epoch, from, to }) => noted >= epoch + from && noted <= epoch + to)
  return own === undefined ? noted : noted - own.epoch + (epochs.at(-1)?.epoch ?? own.epoch)
}

/** Returns the identity of the current start of the machine; undefined on systems other than Linux. */
function readBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Milliseconds; Node calls back at once after more. */
const longestTimeout = 2 ** 31 - 1

/** The clocks of this machine. */
export const systemClock: Clock = {
  boot: readBoot(),
  monotonic,
  wall: () => Date.now(),
  after: (delay, callback) => {
    const due = monotonic() + delay
    const callBack = () => {
      // A delay can be longer than Node allows.
      const left = due - monotonic()
      if (left > 0) timer = setTimeout(callBack, timeoutOf(left))
      else callback()
    }
    let timer = setTimeout(callBack, timeoutOf(delay))
    return () => clearTimeout(timer)
  },
}

/**
 * Returns a delay for Node, which warns of negative ones. It counts whole milliseconds from the last one that was full, so
 * without one more a timer would be early.
 */
function timeoutOf(ms: number): number {
  return ms > 0 ? Math.min(Math.ceil(ms) + 1, longestTimeout) : 0
}

function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/**
 * Calls `callback` at a fixed interval, the first time after one interval. Returns a function that stops it.
 * @param interval milliseconds
 */
export function every(clock: Clock, interval: number, callback: () => void): () => void {
  let cancel = () => {}
  const plan = () => {
    cancel = clock.after(interval, () => {
      // Scheduled before the call, so that the next call comes even if this one throws, unless the call
      // itself stops the interval.
      plan()
      callback()
    })
  }
  plan()
  return () => cancel()
}

/**
 * Resolves after `ms` milliseconds.
 * @throws KeyholderError CLOSED as soon as the signal is aborted
 */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      leave()
      resolve()
    })
    const leave = onAbort(signal, () => {
      cancel()
      reject(closedError())
    })
  })
}

/** Waits for something that never rejects, for `ms` milliseconds at most. */
export function within(clock: Clock, ms: number, done: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve)
    void done.then(() => {
      cancel()
      resolve()
    })
  })
}

/**
 * Calls a function when a signal aborts, at once if it has. Returns a function that takes the listener back: signals may
 * live long, and would keep every listener.
 */
export function onAbort(signal: AbortSignal, call: () => unknown): () => void {
  if (signal.aborted) call()
  else signal.addEventListener('abort', call, { once: true })
  return () => signal.removeEventListener('abort', call)
}

import assert from 'node:assert/strict'
import { type Hint, lastingLease, type PollLease } from '../../src/panel/lease.ts'

/** A lease that a test gives and takes away. */
export interface FakeLease extends PollLease {
  isHeld: boolean
  holder: string | undefined
  /** The works that have begun, as far as they were allowed. */
  readonly begun: string[]
  /** The ages that the works have ended with. */
  readonly ages: number[]
  /** The works that have begun and not ended. */
  readonly running: Set<string>
  /** The milliseconds with which this process follows; undefined while it does not. */
  followsEvery: number | undefined
  /** The milliseconds that the quickest follower needs. */
  followers: number | undefined
  /** The words of this process. */
  readonly told: Hint[]
  /** Tells a word of another process. */
  hint(hint: Hint): void
  /** The time since another process began the same works, in milliseconds; infinite if none has. */
  begunAgo: number
  /** True if that one was killed. */
  isKilled: boolean
  /** The number of wishes that have not ended. */
  readonly wishes: number
  /** The number of times that it must not be passed on now. */
  kept: number
  /** Gives the lease to this process, or to another one. */
  giveTo(holder: 'here' | string): void
}

/** Returns a lease that this process holds. */
export function createFakeLease(now: () => number): FakeLease {
  const listeners = new Set<() => void>()
  const hintListeners = new Set<(hint: Hint) => void>()
  let wishes = 0
  let begunAt = Number.NEGATIVE_INFINITY
  const lease: FakeLease = {
    ...lastingLease,
    isHeld: true,
    holder: undefined,
    begun: [],
    ages: [],
    running: new Set(),
    get begunAgo() {
      return now() - begunAt
    },
    set begunAgo(ago) {
      begunAt = now() - ago
    },
    isKilled: false,
    followsEvery: undefined,
    followers: undefined,
    told: [],
    hint: (hint) => {
      for (const listener of [...hintListeners]) listener(hint)
    },
    answersOf: 'things',
    followedEvery: () => lease.followers,
    follow: () => (every) => {
      lease.followsEvery = every
    },
    tell: (hint) => {
      lease.told.push(hint)
    },
    onHint: (listener) => {
      hintListeners.add(listener)
      return () => hintListeners.delete(listener)
    },
    get wishes() {
      return wishes
    },
    want: () => {
      wishes += 1
      return () => {
        wishes -= 1
      }
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    begin: async (work, minGap, minGapAfterKill = 0) => {
      if (!lease.isHeld) return Number.POSITIVE_INFINITY
      const left = (lease.isKilled ? minGapAfterKill : minGap) - lease.begunAgo
      if (left > 0) return left
      lease.begun.push(work)
      lease.running.add(work)
      return 0
    },
    end: (work, _outcome, age = 0) => {
      lease.ages.push(age)
      assert.ok(lease.running.delete(work), 'it has not begun')
    },
    kept: 0,
    keep: () => {
      lease.kept += 1
      return () => {
        lease.kept -= 1
      }
    },
    giveTo: (holder) => {
      lease.isHeld = holder === 'here'
      lease.holder = lease.isHeld ? undefined : holder
      for (const listener of [...listeners]) listener()
    },
  }
  return lease
}

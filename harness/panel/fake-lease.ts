import assert from 'node:assert/strict'
import { type Lease, lastingLease } from '../../src/panel/polling/lease.ts'

/** A lease that a test gives and takes away. */
export interface FakeLease extends Lease {
  isHeld: boolean
  holder: string | undefined
  /** The works that have begun, as far as they were allowed. */
  readonly begun: string[]
  /** The works that have begun and not ended. */
  readonly running: Set<string>
  /** True if another process has begun the same works a moment ago. */
  isRecent: boolean
  /** The number of wishes that have not ended. */
  readonly wishes: number
  /** Gives the lease to this process, or to another one. */
  giveTo(holder: 'here' | string): void
}

/** Returns a lease that this process holds. */
export function createFakeLease(now: () => number): FakeLease {
  const listeners = new Set<() => void>()
  let wishes = 0
  const lease: FakeLease = {
    ...lastingLease(now),
    isHeld: true,
    holder: undefined,
    begun: [],
    running: new Set(),
    isRecent: false,
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
    begin: async (work) => {
      if (!lease.isHeld || lease.isRecent) return false
      lease.begun.push(work)
      lease.running.add(work)
      return true
    },
    end: (work) => {
      assert.ok(lease.running.delete(work), 'it has not begun')
    },
    giveTo: (holder) => {
      lease.isHeld = holder === 'here'
      lease.holder = lease.isHeld ? undefined : holder
      for (const listener of [...listeners]) listener()
    },
  }
  return lease
}

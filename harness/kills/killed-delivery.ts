import assert from 'node:assert/strict'
import { EventDelivery } from '../../src/panel/events/event-delivery.ts'
import { lastingLease } from '../../src/panel/lease.ts'
import type { FakeClock } from '../clock/fake-clock.ts'
import { KilledCursor } from './killed-cursor.ts'

/** The event delivery of a process that is killed, and the cursor that it leaves. */
export interface KilledDelivery {
  readonly cursor: KilledCursor
  readonly delivery: EventDelivery<number>
}

/**
 * Opens the event delivery of a process that is killed at a step.
 * @param text the cursor that the process before it has left
 * @param steps the number of the step, from 1; 0 if it lives
 */
export function openKilledDelivery(text: string, steps: number, clock: FakeClock): KilledDelivery {
  const cursor = new KilledCursor(text)
  let left = steps
  cursor.isKilledAt = () => {
    left -= 1
    return left === 0
  }
  const stores = { lease: lastingLease, cursor }
  const delivery = new EventDelivery<number>('A1', stores, clock, {
    outage: assert.ifError,
    recovery: () => {},
    notice: assert.fail,
  })
  return { cursor, delivery }
}

/** Waits until the cursor is saved, also after what is told without an event. */
export async function settleDelivery(clock: FakeClock): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    await rest()
    clock.advance(500)
  }
  await rest()
}

/** Lets what is under way go as far as it goes by itself. */
async function rest(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await new Promise(setImmediate)
}

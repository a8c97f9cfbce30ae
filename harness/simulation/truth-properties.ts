/**
 * The rules by which all that nodes tell is compared with the simulated world. What is true comes from the world alone,
 * never from the code that is tested.
 *
 * In general: what a node tells at a moment was true at some moment since the poll before the latest one (two polls and the
 * time of a look), unless the message is marked as stale. What is true all the time is never replaced by something else.
 * A time in which nodes cannot know the world reaches back to what was known before it: they do not run, an event is on its
 * way, the panel is offline (then what the service knew last is true, and no list of alarms or devices counts), or an answer
 * was incomplete (then two more polls).
 *
 * - State: value and active alarms of each partition. Without a list of alarms, a panel that is back is armed until its event
 *   tells of an alarm. `changedBy` is null, the last person who led to the value, one who did so after the state before
 *   was told, or after a start the last one whose event has come; the time is that of the panel's clock.
 * - Readings: the value of each device.
 * - Events: each event within a poll of its arrival, once, again only with the mark `redelivered`; all fields; no gap.
 * - Incident: each alarm within a poll of the arrival of its event, with its kind and zone. Closed only if all of its
 *   alarms are over; open only if one of them was not over two polls ago (a threat lasts for a day). What was over takes in no
 *   later alarm, except within five minutes. An alarm that the list of alarms does not show, such as a tamper, may be told
 *   as over with those that it shows. No time is later than the moment at which it is told. No message without a change.
 * - Conditions: all that hold for two polls, and none that was over two polls ago; `since` does not move while one holds,
 *   unless the machine's clock was set; a reminder when it is due.
 * - Home Assistant: what the broker keeps is true if the panel is told as available. A panel that nobody serves is told as
 *   offline within a minute, and so is one that is offline. One that is served and online is told as available.
 * - Statuses: no green dot during an alarm, no red one without, except in the first minute after a start; no words for "fine" that are not true.
 * - Threats: no status, title, summary or kept state has a word for one; `payload.duress` and the event itself tell it.
 */

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { minute } from '../../src/duration.ts'
import type { FlowHarness } from '../flow.ts'
import { seed } from '../mocha/seed.ts'
import { anyLife } from './any-life.ts'
import { type KindOfHouses, kindsOfHouses } from './arbitraries/any-house.ts'
import type { Life } from './life.ts'
import { live } from './live.ts'

/** Adds a test of each of these lives, by title. */
export function testLives(harness: FlowHarness, lives: Readonly<Record<string, Life>>): void {
  for (const [title, life] of Object.entries(lives)) it(title, () => assertTrue(life, harness))
}

/** Adds a test of random lives in houses of a kind. */
export function testRandomLives(harness: FlowHarness, kind: KindOfHouses, numRuns: number): void {
  // Each kind draws other lives.
  const nth = Object.keys(kindsOfHouses).indexOf(kind)
  it(`in ${numRuns} random lives of ${kind} (SEED=${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(anyLife(kind), (life) => assertTrue(life, harness)),
      { numRuns, seed: seed + nth },
    )
  }).timeout(1_800_000)
}

async function assertTrue(life: Life, harness: FlowHarness): Promise<void> {
  const { untrue } = await live(life, harness)
  if (untrue.length > 0)
    assert.fail(
      untrue.map(({ at, sentence }) => `minute ${(at / minute).toFixed(1)}: ${sentence}`).join('\n'),
    )
}

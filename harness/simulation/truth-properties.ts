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
 * - State: value and active alarms of each partition. Without a list of alarms, a partition is told as armed until the event of
 *   its alarm is read. `changedBy` is null, the last person who led to the value, one who did so after the state before
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
 * - Commands: told as done only if the panel has done it since the command came, told as already so only if it was. Each has one
 *   end, and is sent once; a disarm within 20 seconds and before all that waits, an arming never after a disarm that came later.
 * - Rehearsals: only their messages have the mark; each ends with news of the real panel, for the reason that is told, and leaves
 *   nothing: flows, statuses and Home Assistant show the real panel again.
 * - Alarm chain: a test begins only when somebody in the house wants it, passes only by a person's answer, and is told as failed without one. The
 *   watcher is called while all is well, and neither after a failed test nor while the events cannot be read.
 * - Threats: no status, title, summary or kept state has a word for one; `payload.duress` and the event itself tell it.
 */

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isDeep } from '../mocha/depth.ts'
import { seed } from '../mocha/seed.ts'
import type { KindOfHouses } from './arbitraries/any-house.ts'
import { commandOfSeed, drawLife } from './stories/drawn-life.ts'
import { describeFailure, liveToItsEnd, shrinkFailingLife } from './stories/failing-life.ts'
import { commandOfStory, readStories } from './stories/kept-stories.ts'

/** Adds a test of each story in which something untrue was told once. */
export function testStories(): void {
  for (const [path, { title, life }] of readStories())
    it(title, async () => {
      const lived = await liveToItsEnd(life)
      if (lived.untrue.length > 0) assert.fail(`\n${describeFailure({ life, lived }, commandOfStory(path))}`)
    })
}

/** Adds a test of the random lives of a number of seeds, in houses of a kind; the first that fails is told as a story. */
export function testRandomLives(kind: KindOfHouses, count: number): void {
  // A change is judged by the same lives each time; the deep suite and `npm run simulate` look for new ones.
  const first = isDeep ? seed : 1
  it(`in ${count} random lives of ${kind} (SEED=${first})`, async () => {
    const examples = Array.from({ length: count }, (_, nth): [number] => [first + nth])
    await fc.assert(
      fc.asyncProperty(fc.integer(), (one) => assertTrue(kind, one)),
      // The story is shrunk by the life, not by its seed.
      { numRuns: count, examples, endOnFailure: true },
    )
  }).timeout(1_800_000)
}

async function assertTrue(kind: KindOfHouses, one: number): Promise<void> {
  const life = drawLife(kind, one)
  const lived = await liveToItsEnd(life)
  if (lived.untrue.length === 0) return
  const failing = { life, lived }
  // Who measures what notices a fault needs no story.
  const { endOnFailure = false } = fc.readConfigureGlobal()
  const told = endOnFailure ? failing : await shrinkFailingLife(failing)
  assert.fail(`\n${describeFailure(told, commandOfSeed(kind, one))}`)
}

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { until } from '../clock/until.ts'
import type { EventLoad } from '../node-red/event-load.ts'
import type { NodeRedProcess } from '../node-red/node-red-process.ts'
import { type NodeRedHarness, panelId } from '../node-red.ts'
import { cursorFile, linesAbout } from './cursor-files.ts'

/** Returns the statuses of the events node so far. */
export function statuses({ messages }: NodeRedHarness): string[] {
  return messages.from('tab status').all.map(({ status }) => `${status.fill} ${status.text}`)
}

/**
 * Asserts that, while the file is not writable, all events are delivered, the status is red, and one error and one
 * line are reported.
 */
export async function assertReportedOnce(
  harness: NodeRedHarness,
  nodeRed: NodeRedProcess,
  told: EventLoad,
  reason: RegExp,
): Promise<void> {
  const { messages } = harness
  const file = cursorFile(harness, panelId)
  const isShown = () => statuses(harness).at(-1) === 'red cannot write file'
  await messages.until(isShown, 'a red status')
  const since = statuses(harness).length
  told.addEvents()
  await told.finish()
  // A slow poll may change the status in between, but not to green.
  await messages.until(isShown, 'a red status again')
  assert.ok(
    !statuses(harness)
      .slice(since)
      .some((status) => status.startsWith('green')),
  )
  const [error, ...others] = messages.from('tab catch').all.map(({ error }) => error.message as string)
  assert.deepEqual(others, [])
  assert.match(error ?? '', reason)
  assert.ok(error?.includes(file))
  assert.equal(linesAbout(nodeRed, file).length, 1)
}

/** Waits until the cursor is written again, and the status and the log report it. */
export async function assertRecovered(harness: NodeRedHarness, nodeRed: NodeRedProcess): Promise<void> {
  await harness.messages.until(() => /^green/.test(statuses(harness).at(-1) ?? ''), 'a green status')
  await until(() => /everything works again/.test(nodeRed.output), 'the line in the log')
  assert.ok((await readFile(cursorFile(harness, panelId))).length > 0)
}

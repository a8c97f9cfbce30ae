import assert from 'node:assert/strict'
import { rehearsalScenes } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { FlowHarness } from '../flow.ts'
import { bedroomWindow } from '../node-red/imported-examples.ts'
import { requestsTo } from '../simulator.ts'
import { ExampleHouse, type GivenMessage } from './example-house.ts'

/**
 * Rehearses scenes in an example, and fails if a fault is found in it, or if a text that a person gets has no mark, or more than
 * one.
 */
export async function testFaults(
  harness: FlowHarness,
  example: string,
  scenes: readonly string[] = rehearsalScenes,
): Promise<void> {
  const house = await ExampleHouse.start(harness, example)
  for (const scene of scenes) {
    const begin = house.given.length
    const { ended, report } = await house.rehearse(scene)
    assert.deepEqual([scene, ended, report.findings], [scene, 'scene', []])
    assert.deepEqual(house.given.slice(begin).flatMap(wronglyMarked), [])
  }
}

/** The nodes of the examples from which a person gets a text. */
const tellingNodes = ['notification', 'call or siren', 'ntfy', 'Telegram']

/** Returns the texts of a message without the word for a rehearsal, or with more than one; of a real one, those that have it. */
export function wronglyMarked({ to, message }: GivenMessage): string[] {
  if (!tellingNodes.includes(to)) return []
  const { title, payload } = message
  const texts =
    typeof payload === 'object' ? [payload.title, payload.message, payload.text] : [title, payload]
  const expected = message.rehearsal === undefined ? 0 : 1
  return texts.filter((text) => typeof text === 'string' && text.split('Rehearsal: ').length - 1 !== expected)
}

/** The nodes of the examples that stand for what wakes somebody or is switched. */
const loudNodes = ['call or siren', 'light']

/** Tells if somebody hears a message, or something is switched by it. */
export function isLoud({ to, type, message: { rings, priority, payload } }: GivenMessage): boolean {
  const [loudness, isSilent] = [payload?.priority ?? priority, payload?.disable_notification]
  // A chart of the dashboard has the name of a lamp.
  const isSwitched = loudNodes.includes(to) && type !== 'ui-chart'
  return isSwitched || rings === true || loudness > 3 || isSilent === false
}

/**
 * Ends a burglary in its alarm while a window of the real house is open, and fails if an example then rings, switches
 * something or sends a command: all that it hears is that the house is as before.
 * @returns true if it had rung or switched something before
 */
export async function testSilence(
  harness: FlowHarness,
  example: string,
  how: 'stop' | 'restart',
): Promise<boolean> {
  const house = await ExampleHouse.start(harness, example, bedroomWindow)
  const { before, after } = await house.interrupt('burglary-window', 20, how)
  assert.deepEqual(after.filter(isLoud), [])
  assert.equal(requestsTo(house.simulator, 'set_state'), 0)
  return before.some(isLoud)
}

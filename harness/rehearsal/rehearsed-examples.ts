import assert from 'node:assert/strict'
import { rehearsalScenes } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { FlowHarness } from '../flow.ts'
import { bedroomWindow } from '../node-red/imported-examples.ts'
import { requestsTo } from '../simulator.ts'
import { ExampleHouse, type GivenMessage } from './example-house.ts'

/** Rehearses scenes in an example, and fails if a fault is found in it. */
export async function testFaults(
  harness: FlowHarness,
  example: string,
  scenes: readonly string[] = rehearsalScenes,
): Promise<void> {
  const house = await ExampleHouse.start(harness, example)
  for (const scene of scenes) {
    const { ended, report } = await house.rehearse(scene)
    assert.deepEqual([scene, ended, report.findings], [scene, 'scene', []])
  }
}

/** The nodes of the examples that stand for what wakes somebody or is switched. */
const loudNodes = ['call or siren', 'light']

/** Tells if somebody hears a message, or something is switched by it. */
function isLoud({ to, message: { rings, priority, payload } }: GivenMessage): boolean {
  const [loudness, isSilent] = [payload?.priority ?? priority, payload?.disable_notification]
  return loudNodes.includes(to) || rings === true || loudness > 3 || isSilent === false
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

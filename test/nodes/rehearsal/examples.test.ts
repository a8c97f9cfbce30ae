import assert from 'node:assert/strict'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import { ExampleHouse } from '../../../harness/rehearsal/example-house.ts'
import {
  isLoud,
  testFaults,
  testSilence,
  wronglyMarked,
} from '../../../harness/rehearsal/rehearsed-examples.ts'

// All examples and all scenes: test/long/rehearsed-examples.test.ts.
describe('An example, enabled, with receivers that answer as they should,', () => {
  const harness = useFlowHarness()

  it('rehearses without a fault, also where it looks at the answer of a receiver', () =>
    testFaults(harness, 'Alarm to the phone', ['burglary-window', 'fire']))

  for (const [example, ...scenes] of [
    ['What is open or wrong', 'tamper', 'low-battery'],
    ['Many panels', 'tamper'],
    ['Armed with a window open', 'burglary-window'],
    ['Who came home', 'nobody-leaves'],
  ] as const)
    it(`marks each text that it puts together once: ${example}`, () => testFaults(harness, example, scenes))

  it('tells an alarm that was over before it could be told quietly, with one mark in each text', async () => {
    const house = await ExampleHouse.start(harness, 'Alarm to the phone')
    const told = { title: 'Rehearsal: Over: Burglary, Hall', summary: 'Rehearsal: 3:31 AM. Over 3:36 AM.' }
    const payload = {
      id: 'late',
      kind: 'burglary',
      status: 'closed',
      confirmed: true,
      news: 'alarm',
      ...told,
    }
    house.receive('86b1f4d3c05e7a29', { topic: 'House/incident', late: true, rehearsal: true, payload })
    await until(() => ['ntfy', 'Telegram'].every((way) => house.given.some(({ to }) => to === way)))
    assert.deepEqual(house.given.filter(isLoud), [])
    assert.deepEqual(house.given.flatMap(wronglyMarked), [])
  })

  for (const example of ['Alarm to the phone', 'Light when the door opens'])
    for (const how of ['stop', 'restart'] as const)
      it(`rings nothing when a rehearsal is over, by a ${how}: ${example}`, async () => {
        assert.ok(await testSilence(harness, example, how))
      })
})

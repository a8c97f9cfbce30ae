import assert from 'node:assert/strict'
import { messageShape } from '../../harness/fixtures/message-shape.ts'
import { assertShape } from '../../harness/fixtures/shape.ts'
import type { RunningFlow } from '../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import type { FlowMessage } from '../../harness/recorder.ts'

const type = 'keyholder-conditions'
const isListening = (flow: RunningFlow) =>
  flow.status('conditions').next(({ text }) => text === 'all is fine')
const kinds = ({ payload }: FlowMessage) => payload.map(({ kind }: { kind: string }) => kind)

describe('The node keyholder-conditions', () => {
  const harness = useFlowHarness()

  it('tells an open window and that it is closed, with exactly the fields of the contract', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type } } })
    await isListening(flow)
    home.open(1)
    const out = flow.output('conditions')
    const opened = await out.next()
    assertShape(opened, {
      ...messageShape,
      payload: [
        {
          kind: 'string',
          zone: 'number?',
          name: 'string',
          since: 'string',
          eventKey: 'string?',
          text: 'string',
        },
      ],
    })
    assert.equal(opened.topic, 'Home/conditions')
    const [{ kind, zone, name, text }] = opened.payload
    assert.deepEqual([kind, zone], ['open', 1])
    assert.match(text, RegExp(`^${name} is open since .*\\.$`))
    const status = await flow.status('conditions').next(({ fill }) => fill === 'yellow')
    assert.equal(status.text, `1 to see to: ${name}`)
    home.close(1)
    assert.deepEqual((await out.next()).payload, [])
    await flow.status('conditions').next(({ fill }) => fill === 'green')
  })

  it('tells what lasts long enough only, answers each message, reminds, and goes on after a restart', async () => {
    // In minutes: 3 seconds, then 6, 12, 24.
    const fields = { openAfter: '0.05', remindAfter: 0.1 }
    const { home, flow, part } = await harness.start({ nodes: { conditions: { type, ...fields } } })
    await isListening(flow)
    home.open(1)
    flow.input('conditions', { kept: 1, redelivered: true, reminder: true })
    const early = await flow.output('conditions').next()
    assert.deepEqual(
      [early.payload, early.kept, 'redelivered' in early, 'reminder' in early],
      [[], 1, false, false],
    )
    const opened = await flow.output('conditions').next()
    const [condition] = opened.payload
    const lasted = (message: FlowMessage) => Date.parse(message.fetchedAt) - Date.parse(condition.since)
    assert.ok(lasted(opened) >= 3000 && lasted(opened) < 4500, `${lasted(opened)}`)
    const first = await flow.output('conditions').next()
    assert.deepEqual([first.reminder, first.payload], [true, opened.payload])
    assert.ok(lasted(first) >= 9000 && lasted(first) < 11_000, `${lasted(first)}`)
    await harness.stopFlow()
    const again = await harness.startParts([part])
    const second = await again.output('conditions').next()
    assert.deepEqual([second.reminder, second.redelivered, second.payload], [true, undefined, opened.payload])
    assert.ok(lasted(second) >= 21_000 && lasted(second) < 24_000, `${lasted(second)}`)
    home.close(1)
    assert.deepEqual((await again.output('conditions').next()).payload, [])
  })

  it('lists tamper, battery, bypass, an offline panel and alarms in memory, the deaf ones first', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type } } })
    await isListening(flow)
    home.bypass(1, true)
    home.lowBattery(home.zone(2).id)
    home.tamper(3)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    home.close(2)
    home.disarm(1)
    const out = flow.output('conditions')
    const all = await out.next((message) => message.payload.length === 4)
    assert.deepEqual(kinds(all), ['tamper', 'battery', 'memory', 'bypassed'])
    home.goOffline()
    const offline = await out.next((message) => kinds(message).includes('offline'))
    assert.deepEqual(kinds(offline), ['offline', 'tamper', 'battery', 'memory', 'bypassed'])
    assert.ok(offline.payload[2].eventKey, 'the event of the battery is not told')
    home.goOnline()
    home.restoreTamper(3)
    home.restoreBattery(home.zone(2).id)
    await out.next((message) => kinds(message).join() === 'memory,memory,bypassed')
  })
})

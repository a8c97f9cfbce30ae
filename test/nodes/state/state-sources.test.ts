import assert from 'node:assert/strict'
import { useFlowHarness } from '../../../harness/flow.ts'

const type = 'keyholder-state'

describe('The state of keyholder-state', () => {
  const harness = useFlowHarness()

  // @spec inferred-state
  it('is inferred from the newest arm, disarm and alarm events if the service has none', async () => {
    const { home, flow } = await harness.start(
      { nodes: { state: { type, partitions: [1] } } },
      { missingOperations: ['status'] },
    )
    const out = flow.output('state')
    assert.equal((await out.next()).state.inferred, true)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    const away = await out.next()
    assert.deepEqual([away.payload, away.state.inferred, away.partition.name], ['AWAY', true, 'House'])
    home.open(2)
    const alarm = await out.next()
    assert.deepEqual([alarm.payload, alarm.state.alarms.length], ['ALARM', 1])
    home.close(2)
    home.disarm(1)
    assert.equal((await out.next()).payload, 'DISARM')
  })

  it('remains the last known one while the panel is offline, marked as stale', async () => {
    const beat = { type, emit: 'poll', partitions: [1] }
    const { home, flow } = await harness.start({ nodes: { beat, state: { type, partitions: [1] } } })
    await flow.output('state').next()
    home.arm(1, 'HOME', { exitDelay: 0 })
    await flow.output('state').next(({ payload }) => payload === 'HOME')
    home.goOffline()
    const offline = await flow.output('beat').next(({ panel }) => !panel.online)
    assert.deepEqual([offline.payload, offline.stale, offline.panel.alias], ['HOME', true, 'Home'])
    assert.deepEqual(await flow.status('state').next(({ text }) => text === 'panel offline'), {
      fill: 'yellow',
      shape: 'ring',
      text: 'panel offline',
    })
    flow.input('state')
    const answer = await flow.output('state').next()
    assert.deepEqual([answer.payload, answer.stale, answer.panel.online], ['HOME', true, false])
    home.goOnline()
    const online = await flow.output('beat').next(({ panel }) => panel.online)
    assert.deepEqual([online.payload, online.stale], ['HOME', false])
    await flow.status('state').next(({ fill, text }) => fill === 'green' && text === 'armed home')
  })

  it('is not offline only because `connected` is false', async () => {
    const { home, flow } = await harness.start({ nodes: { state: { type, emit: 'poll', partitions: [1] } } })
    await flow.output('state').next()
    home.flap()
    for (const { panel, stale } of await flow.output('state').take(4))
      assert.deepEqual([panel.online, stale], [true, false])
  })

  for (const [what, panel, without, name] of [
    ['the name of the panel node', { name: 'My house' }, [], 'My house'],
    ['the alias, without a name', { name: '' }, [], 'Home'],
    ['the serial, without name and alias', { name: '' }, ['panels'], 'A1B2C3'],
  ] as const) {
    it(`has a topic that starts with ${what}`, async () => {
      const { flow } = await harness.start(
        { panel, nodes: { state: { type, partitions: [1] } } },
        { missingOperations: without },
      )
      const message = await flow.output('state').next()
      assert.equal(message.topic, `${name}/partition/1`)
      assert.equal(message.panel.serial, 'A1B2C3')
      assert.equal(message.panel.alias, without.length === 0 ? 'Home' : '')
    })
  }
})

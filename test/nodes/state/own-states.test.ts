import assert from 'node:assert/strict'
import { useFlowHarness } from '../../../harness/flow.ts'

describe('A state that the panel defines itself', () => {
  const harness = useFlowHarness()

  // @spec 2.6
  it('can be requested by its name; it shows as ARMING during its exit delay, then in its own word', async () => {
    const { home, flow } = await harness.start(
      {
        panel: { allowCommands: true },
        nodes: {
          command: { type: 'keyholder-command' },
          state: { type: 'keyholder-state', partitions: [1] },
        },
      },
      { hasNight: true },
    )
    const disarmed = await flow.output('state').next()
    assert.ok(disarmed.state.settable.includes('NIGHT'))
    flow.input('command', { payload: { state: 'NIGHT', partition: 1 } })
    const { payload } = await flow.output('command').next()
    assert.deepEqual([payload.ok, payload.state], [true, 'NIGHT'])
    assert.equal(
      (await flow.status('command').next(({ fill }) => fill === 'green')).text.slice(0, 13),
      'state NIGHT, ',
    )
    const values = (await flow.output('state').take(2)).map((message) => message.payload)
    assert.deepEqual(values, ['ARMING', 'NIGHT'])
    assert.equal(home.partitions[0]?.state, 'NIGHT')
  })
  // @spec 2.6
  it('is requested by every word for the night, and is night in the other vocabularies', async () => {
    const { nodes, ...options } = nightNodes
    const { home, flow } = await harness.start({ ...options, nodes }, { hasNight: true })
    for (const name of ['native', 'assistant', 'homekit']) await flow.output(name).next()
    flow.input('command', { payload: 'armed_night' })
    assert.equal((await flow.output('command').next()).payload.ok, true)
    assert.equal(home.partitions[0]?.state, 'NIGHT')
    const words = { native: 'NIGHT', assistant: 'armed_night', homekit: 2 }
    for (const [name, word] of Object.entries(words))
      await flow.output(name).next(({ payload }) => payload === word)
  })
})

const nightNodes = {
  panel: { allowCommands: true },
  nodes: {
    command: { type: 'keyholder-command', partition: 1 },
    native: { type: 'keyholder-state', partitions: [1] },
    assistant: { type: 'keyholder-state', partitions: [1], vocabulary: 'home-assistant' },
    homekit: { type: 'keyholder-state', partitions: [1], vocabulary: 'homekit' },
  },
}

describe('A panel without a state NIGHT', () => {
  const harness = useFlowHarness()

  // @spec 2.6
  it('is armed HOME without entry delay for the night, which all vocabularies but the own one tell', async () => {
    const { home, flow } = await harness.start(nightNodes)
    for (const name of ['native', 'assistant', 'homekit']) await flow.output(name).next()
    flow.input('command', { payload: 2 })
    assert.deepEqual((await flow.output('command').next()).payload.state, 'NIGHT')
    assert.deepEqual([home.partitions[0]?.state, home.partitions[0]?.options], ['HOME', ['NOENTRY']])
    const words = { native: 'HOME', assistant: 'armed_night', homekit: 2 }
    for (const [name, word] of Object.entries(words)) {
      const { state } = await flow.output(name).next(({ payload }) => payload === word)
      assert.deepEqual([state.value, state.options], ['HOME', ['NOENTRY']])
    }
    flow.input('command', { payload: 'ARM_NIGHT' })
    assert.equal((await flow.output('command').next()).payload.already, true)
  })
})

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
})

import assert from 'node:assert/strict'
import { until } from '../../../../harness/clock/until.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { systemClock } from '../../../../src/clock.ts'
import { clusterSettings } from '../../../../src/cluster/cluster-settings.ts'
import { away } from '../../../../src/cluster/redis/redis-error.ts'
import { SharedState } from '../../../../src/cluster/redis/shared-state.ts'

describeWithRedis('The shared state of a server that has lost its data', (server) => {
  let state: SharedState
  afterEach(() => state.connection.close())

  it('is put back once more if the connection was lost before all of it was', async () => {
    await server.restart()
    const calls: string[] = []
    let isCut = false
    state = new SharedState(clusterSettings({ address: server.address, clusterName: 'test' }), {
      clock: systemClock,
      quiet: { blank: 0, other: 0 },
      restore: async (_through, hasLost) => {
        calls.push(hasLost ? 'restore the lost' : 'enter')
        if (isCut) {
          isCut = false
          throw away('the connection was lost')
        }
      },
      onChange: () => {},
    })
    state.connection.open()
    await until(() => state.status.state === 'connected')
    isCut = true
    await server.restart()
    await until(() => calls.length > 1 && state.status.state === 'connected')
    assert.deepEqual(calls, ['enter', 'restore the lost', 'restore the lost'])
    state.connection.reconnect(away('the server has lost its data'))
    await until(() => calls.length > 3 && state.status.state === 'connected')
    assert.deepEqual(calls.slice(3), ['enter'])
  })
})

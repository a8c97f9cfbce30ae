import assert from 'node:assert/strict'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { BrokerClient } from '../../../../harness/home-assistant/broker-client.ts'
import { homeAssistantFlow } from '../../../../harness/home-assistant/home-assistant-flow.ts'
import { describeWithMosquitto } from '../../../../harness/mosquitto.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

const serial = 'keyholder/A1B2C3'

describeWithRedis('Home Assistant with two real Node-REDs of a cluster', (redis) => {
  describeWithMosquitto('and a real broker', (broker) => {
    let instances: NodeRedInstances
    let client: BrokerClient

    before(async () => {
      instances = await NodeRedInstances.prepare(redis)
      client = await BrokerClient.connect(broker.port)
    })
    after(async () => {
      await client.close()
      await instances.close()
    })

    it('gets states from one of them, each command is carried out once, and the other one takes over', async () => {
      const panel = instances.simulator.world.panel('A1B2C3')
      const door = `${serial}/d${panel.zone(1).id}/state`
      const kitchen = `${serial}/d${panel.zone(2).id}/state`
      const nodes = homeAssistantFlow(broker.port)
      const first = await instances.start('first', nodes)
      await client.until(() => client.latest.has(`${serial}/announced`))
      await instances.start('second', nodes)
      await client.publish(`${serial}/partition_1/set`, 'ARM_HOME')
      await client.until(() => client.latest.get(`${serial}/command`)?.includes('"done"') === true)
      const commands = instances.simulator.requests.filter(({ path }) => path.endsWith('/set_state'))
      assert.equal(commands.length, 1)
      panel.disarm(1)
      panel.open(1)
      await client.until(() => client.json(door)?.open === 'ON')
      await first.kill()
      panel.close(1)
      panel.open(2)
      await client.until(() => client.json(door)?.open === 'OFF')
      await client.until(() => client.json(kitchen)?.open === 'ON')
      await client.until(() => client.latest.get('keyholder/bridge') === 'online')
      assert.equal(client.latest.get(`${serial}/availability`), 'online')
      const results = client.messages.all.filter(({ topic }) => topic === `${serial}/command`)
      assert.equal(results.length, 1)
    })
  })
})

import assert from 'node:assert/strict'
import { BrokerClient } from '../../../../harness/home-assistant/broker-client.ts'
import { ConnectedPanel } from '../../../../harness/home-assistant/connected-panel.ts'
import { homeAssistantId } from '../../../../harness/home-assistant/home-assistant-flow.ts'
import { describeWithMosquitto } from '../../../../harness/mosquitto.ts'

const announced = 'keyholder/A1B2C3/announced'
const deviceTopic = 'homeassistant/device/keyholder_A1B2C3/config'
const exampleTopic = (id: number) => `homeassistant/alarm_control_panel/keyholder_A1B2C3_${id}/config`

describeWithMosquitto('The announcements of a panel, with a real broker and a real Node-RED', (broker) => {
  let home: ConnectedPanel | undefined
  afterEach(async () => {
    await home?.close()
    home = undefined
    await broker.restart()
  })

  /** Deploys the node with other fields, and waits for its announcements. */
  const deployWith = async (open: ConnectedPanel, fields: object) => {
    const { length } = open.client.messages.all
    const before = open.client.latest.get(announced)
    const flows = open.flows.map((node) => (node.id === homeAssistantId ? { ...node, ...fields } : node))
    await open.nodeRed.deploy(flows, 'nodes')
    // The list is published last.
    await open.client.until(() => open.client.latest.get(announced) !== before)
    return open.client.messages.all.slice(length)
  }
  const configs = (open: ConnectedPanel) =>
    [...open.client.latest.keys()].filter((topic) => topic.startsWith('homeassistant/'))

  it('move those of the example of version 0.1.0, with the same unique ids', async () => {
    const before = await BrokerClient.connect(broker.port)
    const old = { unique_id: 'keyholder_A1B2C3_1', device: { identifiers: ['keyholder_A1B2C3'] } }
    await before.publish(exampleTopic(1), JSON.stringify(old), true)
    await before.close()
    const open = await ConnectedPanel.open(broker)
    home = open
    await open.client.until(() => open.client.latest.has(announced))
    const told = open.client.messages.all
      .filter(({ topic, retain }) => !retain && [exampleTopic(1), deviceTopic].includes(topic))
      .map(({ topic, payload }) => (topic === deviceTopic ? 'device' : payload))
    assert.deepEqual(told.slice(0, 3), ['{"migrate_discovery":true}', 'device', ''])
    const panel = JSON.parse(open.client.latest.get(deviceTopic) ?? '')
    assert.equal(panel.components.partition_1.unique_id, old.unique_id)
    assert.deepEqual(panel.device.identifiers, old.device.identifiers)
    assert.ok(configs(open).every((topic) => topic.startsWith('homeassistant/device/')))
  })

  it('are one for each entity in the other form, and move from one form to the other and back', async () => {
    const open = await ConnectedPanel.open(broker, { form: 'single' })
    home = open
    await open.client.until(() => open.client.latest.has(announced))
    const singles = configs(open)
    assert.ok(singles.includes(exampleTopic(1)))
    assert.ok(singles.every((topic) => !topic.startsWith('homeassistant/device/')))
    const ids = singles
      .map((topic) => JSON.parse(open.client.latest.get(topic) ?? '').unique_id)
      .filter(Boolean)
    const moved = await deployWith(open, { form: 'device' })
    const first = moved.filter(({ topic }) => topic === exampleTopic(1)).map(({ payload }) => payload)
    assert.deepEqual(first.slice(-2), ['{"migrate_discovery":true}', ''])
    const devices = configs(open).map((topic) => JSON.parse(open.client.latest.get(topic) ?? ''))
    const moved_ids = devices.flatMap(({ components }) =>
      Object.values<{ unique_id?: string }>(components).flatMap(({ unique_id }) => unique_id ?? []),
    )
    assert.deepEqual(moved_ids.toSorted(), ids.toSorted())
    assert.ok(configs(open).every((topic) => topic.startsWith('homeassistant/device/')))
    await deployWith(open, { form: 'single' })
    assert.deepEqual(configs(open).toSorted(), singles.toSorted())
  })

  it('lose the entities of a group that is no longer chosen: once only their platform is left, then nothing', async () => {
    const open = await ConnectedPanel.open(broker)
    home = open
    await open.client.until(() => open.client.latest.has(announced))
    const messages = await deployWith(open, { entities: ['alarm_panel', 'zones', 'readings'] })
    const panels = messages
      .filter(({ topic }) => topic === deviceTopic)
      .map(({ payload }) => JSON.parse(payload))
    const [thinner, last] = panels.slice(-2)
    assert.deepEqual(thinner.components.online, { platform: 'binary_sensor' })
    assert.ok(!('online' in last.components))
    assert.ok('partition_1' in last.components)
    assert.ok(!open.client.latest.has('keyholder/A1B2C3/diagnostics/state'))
  })

  it('keep their ids when the panel is renamed', async () => {
    const open = await ConnectedPanel.open(broker)
    home = open
    await open.client.until(() => open.client.latest.has(announced))
    const idsOf = () => {
      const { components } = JSON.parse(open.client.latest.get(deviceTopic) ?? '')
      return Object.values<{ unique_id?: string }>(components).map(({ unique_id }) => unique_id)
    }
    const ids = idsOf()
    const flows = open.flows.map((node) => (node.id === 'panel' ? { ...node, name: 'Castle' } : node))
    await open.nodeRed.deploy(flows)
    await open.client.until(() => open.client.latest.get(deviceTopic)?.includes('"Castle"') === true)
    assert.deepEqual(idsOf(), ids)
  })

  it('of two panels stand side by side on the same base', async () => {
    const open = await ConnectedPanel.open(broker)
    home = open
    const cottage = {
      id: 'panel 2',
      type: 'keyholder-panel',
      account: 'account',
      serial: '012345',
      name: 'Cottage',
    }
    const every = { stateEvery: 0.4, eventsEvery: 0.4, devicesEvery: 0.4, allowCommands: true }
    const [node] = open.flows.filter(({ id }) => id === homeAssistantId)
    assert.ok(node)
    const input = open.flows.map((one) =>
      one.type === 'mqtt in' ? { ...one, wires: [[homeAssistantId, 'ha 2']] } : one,
    )
    const { userCode } = open.harness.simulator
    const second = { ...cottage, ...every, credentials: { userCode } }
    await open.nodeRed.deploy([...input, second, { ...node, id: 'ha 2', panel: 'panel 2' }])
    await open.client.until(() => open.client.latest.has('keyholder/012345/announced'))
    await open.client.until(() => open.client.latest.has(announced))
    await open.client.publish('keyholder/012345/partition_-1/set', 'ARM_HOME')
    const { world } = open.harness.simulator
    const state = () => open.client.json('keyholder/012345/partition_-1/state')?.state
    await open.client.until(() => state() === 'armed_home' || state() === 'arming')
    assert.deepEqual(
      world.panel('A1B2C3').partitions.map((one) => one.state),
      ['DISARM', 'DISARM', 'DISARM'],
    )
  })
})

import assert from 'node:assert/strict'
import { ConnectedPanel, type Kept } from '../../../../harness/home-assistant/connected-panel.ts'
import { homeAssistantId } from '../../../../harness/home-assistant/home-assistant-flow.ts'
import { describeWithMosquitto } from '../../../../harness/mosquitto.ts'
import type { FlowNode } from '../../../../harness/node-red/recorded-flow.ts'

const serial = 'keyholder/A1B2C3'
const panelConfig = 'homeassistant/device/keyholder_A1B2C3/config'

describeWithMosquitto('What a broker keeps of a panel, with a real Node-RED', (broker) => {
  let home: ConnectedPanel
  /** The retained messages after a fresh start. */
  let fresh: Kept

  const frontDoor = () => `${serial}/d${home.panel.zone(1).id}/state`
  const changed = (node: FlowNode, change: object) =>
    home.flows.map((one) => (one.id === node.id ? { ...one, ...change } : one))

  /** Opens and closes a door, which takes longer than an announcement; returns the topics of the announcements meanwhile. */
  const announcedWhileDoorOpens = async () => {
    const { length } = home.client.messages.all
    for (let time = 0; time < 4; time += 1) {
      home.panel.open(1)
      await home.client.until(() => home.client.json(frontDoor())?.open === 'ON')
      home.panel.close(1)
      await home.client.until(() => home.client.json(frontDoor())?.open === 'OFF')
    }
    const since = home.client.messages.all.slice(length).map(({ topic }) => topic)
    return since.filter((topic) => topic.startsWith('homeassistant/'))
  }

  before(async () => {
    home = await ConnectedPanel.open(broker)
    await home.client.until(() => home.client.latest.has(frontDoor()))
    await home.client.until(() => home.client.latest.has(`${serial}/announced`))
    fresh = await home.kept()
  })
  after(() => home?.close())

  it('is a device for the panel and one for each detector, with their states', () => {
    const panel = fresh[panelConfig] as { components: Record<string, { platform: string }> }
    assert.equal(panel.components.partition_1?.platform, 'alarm_control_panel')
    assert.equal(fresh[`${serial}/availability`], 'online')
    assert.equal(fresh['keyholder/bridge'], 'online')
    const devices = Object.keys(fresh).filter((topic) => topic.startsWith('homeassistant/device/'))
    const announced = home.panel.devices.filter(
      ({ device_type }) => !['CONTROL_PANEL', 'POWER_LINK', 'PGM', 'PROXY_TAG'].includes(device_type),
    )
    assert.equal(devices.length, 1 + announced.length)
    for (const { id } of announced) assert.ok(fresh[`${serial}/d${id}/state`], `${id}`)
  })

  it('is the same after a start of Home Assistant, which gets announcements first and then states', async () => {
    home.client.messages.skip()
    const { length } = home.client.messages.all
    await home.client.publish('homeassistant/status', 'online')
    const since = () => home.client.messages.all.slice(length).map(({ topic }) => topic)
    await home.client.until(() => since().includes(`${serial}/announced`), 'all states')
    const topics = since()
    assert.ok(topics.indexOf(panelConfig) < topics.indexOf(`${serial}/partition_1/state`))
    await home.untilKept(fresh)
  })

  it('is the same after the broker was restarted without its store', async () => {
    await broker.restart()
    await home.untilKept(fresh)
  })

  it('is the same after a deploy of the node, which publishes only what has changed since', async () => {
    const node = home.flows.find(({ id }) => id === homeAssistantId) ?? assert.fail()
    await home.nodeRed.deploy(changed(node, { name: 'other' }), 'nodes')
    assert.deepEqual(await announcedWhileDoorOpens(), [])
    await home.untilKept(fresh)
  })

  it('is not published again after a deploy of the nodes that listen to the broker', async () => {
    const moved = home.flows.map((node) => (node.type === 'mqtt in' ? { ...node, name: 'other' } : node))
    await home.nodeRed.deploy(moved, 'nodes')
    assert.deepEqual(await announcedWhileDoorOpens(), [])
    await home.untilKept(fresh)
  })

  it('is the same after a full deploy', async () => {
    await home.nodeRed.deploy(home.flows)
    await home.untilKept(fresh)
  })

  it('tells by the will of the broker node that Node-RED was killed, and is the same after its next start', async () => {
    await home.nodeRed.kill()
    await home.client.until(() => home.client.latest.get('keyholder/bridge') === 'offline')
    const { length } = home.client.messages.all
    await home.restart()
    const since = () => home.client.messages.all.slice(length).map(({ topic }) => topic)
    await home.client.until(() => since().includes(panelConfig), 'the announcement')
    await announcedWhileDoorOpens()
    await home.untilKept(fresh)
    const announced = since().filter((topic) => topic.startsWith('homeassistant/'))
    assert.deepEqual(announced, [...new Set(announced)])
  })

  it('tells that the panel is offline, and is the same when it is back', async () => {
    home.panel.goOffline()
    await home.client.until(() => home.client.latest.get(`${serial}/availability`) === 'offline')
    await home.client.until(() => home.client.json(`${serial}/diagnostics/state`)?.online === 'OFF')
    home.panel.goOnline()
    await home.client.until(() => home.client.latest.get(`${serial}/availability`) === 'online')
    await home.untilKept(fresh, (topic) => topic in fresh)
  })

  it('lacks a detector that was removed, as after a fresh start, also if Node-RED did not run meanwhile', async () => {
    const gone = home.panel.zone(2)
    const config = `homeassistant/device/keyholder_A1B2C3_d${gone.id}/config`
    home.panel.removeDevice(gone.id)
    const isThere = (topic: string) => home.client.latest.has(topic)
    await home.client.until(() => ![config, `${serial}/d${gone.id}/state`].some(isThere), 'the removal')
    const other = home.panel.zone(3)
    await home.nodeRed.kill()
    home.panel.removeDevice(other.id)
    await home.restart()
    await home.client.until(
      () => !home.client.latest.has(`${serial}/d${other.id}/state`),
      'the second removal',
    )
    await home.client.until(() => home.client.latest.get('keyholder/bridge') === 'online')
    const listed = () => Object.keys(home.client.json(`${serial}/announced`)?.objects ?? {})
    await home.client.until(() => ![gone, other].some(({ id }) => listed().includes(`d${id}`)), 'the list')
    const kept = await home.kept()
    await home.nodeRed.kill()
    await broker.restart()
    await home.restart()
    const isConfig = (topic: string) => topic.startsWith('homeassistant/')
    const configs = Object.fromEntries(Object.entries(kept).filter(([topic]) => isConfig(topic)))
    await home.untilKept(configs, isConfig)
  })
})

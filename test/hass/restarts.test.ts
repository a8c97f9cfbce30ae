import assert from 'node:assert/strict'
import { ConnectedPanel } from '../../harness/home-assistant/connected-panel.ts'
import { describeWithHomeAssistant } from '../../harness/home-assistant/home-assistant.ts'
import { homeAssistantId } from '../../harness/home-assistant/home-assistant-flow.ts'
import { packedPalette } from '../../harness/home-assistant/packed-palette.ts'

const panelId = 'keyholder_A1B2C3'
const house = `${panelId}_1`

describeWithHomeAssistant('A panel in a real Home Assistant, over restarts', (home) => {
  let panel: ConnectedPanel
  /** The entities and devices by their unique ids, with the ids that Home Assistant has given them. */
  let entities: [string, string][]
  let devices: [string, string][]

  const door = () => `${panelId}_d${panel.panel.zone(1).id}_open`
  const registered = async () => {
    const all = await home.client.entities()
    const known = await home.client.devices()
    return {
      entities: [...all].map(([id, { entity_id }]): [string, string] => [id, entity_id]).sort(),
      devices: [...known].map(([id, device]): [string, string] => [id, device.id]).sort(),
    }
  }
  /** Waits until Home Assistant shows what happens, and finds the same entities and devices as before. */
  const expectSame = async () => {
    await home.client.untilShown(house, 'disarmed')
    panel.panel.open(1)
    await home.client.untilShown(door(), 'on')
    panel.panel.close(1)
    await home.client.untilShown(door(), 'off')
    await home.client.until(
      async () => (await home.client.entities()).size === entities.length,
      'all entities',
    )
    assert.deepEqual(await registered(), { entities, devices })
  }

  before(async () => {
    const nodeRed = { palette: await packedPalette() }
    const topic = { topic: 'remove', qos: '1', datatype: 'utf8', x: 0, y: 0 }
    const remove = {
      id: 'remove in',
      type: 'mqtt in',
      ...topic,
      broker: 'broker',
      wires: [[homeAssistantId]],
    }
    panel = await ConnectedPanel.open(home.broker, {}, { allowCommands: true }, nodeRed, [remove])
    await home.client.untilShown(house, 'disarmed')
    await home.client.untilShown(door(), 'off')
    ;({ entities, devices } = await registered())
    assert.equal(devices.length, 17)
  })
  after(() => panel?.close())

  it('is unavailable when Node-RED was killed, and the same when it is back', async () => {
    await panel.nodeRed.kill()
    await home.client.untilShown(house, 'unavailable')
    await home.client.untilShown(door(), 'unavailable')
    await panel.restart()
    await expectSame()
  })

  it('is unavailable while the broker is away, and the same when it is back without what it kept', async () => {
    await home.broker.restart()
    await home.client.untilShown(house, 'unavailable')
    await expectSame()
  })

  it('is the same after a restart of Home Assistant, with the name that the user has given', async () => {
    const id = await home.client.idOf(house)
    await home.client.call('config/entity_registry/update', { entity_id: id, name: 'Our alarm' })
    await home.restart()
    await expectSame()
    assert.match(String((await home.client.shown(house))?.attributes.friendly_name), /Our alarm/)
  })

  it('is the same when Home Assistant was started while Node-RED was not there', async () => {
    await panel.nodeRed.kill()
    await home.restart()
    await home.client.untilShown(house, 'unavailable')
    await panel.restart()
    await expectSame()
  })

  it('is the same when its entities are announced one by one, and as whole devices again', async () => {
    const announcement = `homeassistant/device/${panelId}/config`
    for (const form of ['single', 'device']) {
      const flows = panel.flows.map((node) => (node.id === homeAssistantId ? { ...node, form } : node))
      await panel.nodeRed.deploy(flows, 'nodes')
      await panel.client.until(() => panel.client.latest.has(announcement) === (form === 'device'), form)
      await expectSame()
    }
  })

  it('loses a detector that the panel has no more', async () => {
    const gone = panel.panel.zone(3)
    panel.panel.removeDevice(gone.id)
    await home.client.until(
      async () => !(await home.client.devices()).has(`${panelId}_d${gone.id}`),
      'the device to go',
    )
    const left = await home.client.entities()
    assert.ok(![...left.keys()].some((id) => id.startsWith(`${panelId}_d${gone.id}_`)))
  })

  it('is unavailable when its node has another panel, and leaves Home Assistant when a message says so', async () => {
    const other = panel.flows.map((node) => (node.id === 'panel' ? { ...node, serial: '012345' } : node))
    await panel.nodeRed.deploy(other, 'nodes')
    await home.client.untilShown(house, 'unavailable')
    // The node that is replaced says it. Node-RED drops a message that comes before the new one is there.
    await panel.client.until(() => panel.client.latest.has('keyholder/012345/announced'), 'the other panel')
    const isOfPanel = (id: string) => id === panelId || id.startsWith(`${panelId}_`)
    assert.ok([...(await home.client.devices()).keys()].some(isOfPanel))
    await panel.client.publish('remove', 'A1B2C3')
    await home.client.until(
      async () => ![...(await home.client.devices()).keys()].some(isOfPanel),
      'all its devices to go',
    )
    assert.ok(![...(await home.client.entities()).keys()].some(isOfPanel))
  })

  it('leaves Home Assistant with its node', async () => {
    const others = panel.flows.filter(({ id }) => id !== homeAssistantId)
    await panel.nodeRed.deploy(others, 'nodes')
    await home.client.until(async () => (await home.client.devices()).size === 0, 'all devices to go')
    assert.equal((await home.client.entities()).size, 0)
  })
})

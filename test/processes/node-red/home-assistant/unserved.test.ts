import assert from 'node:assert/strict'
import { retainedOf } from '../../../../harness/home-assistant/broker-client.ts'
import { ConnectedPanel } from '../../../../harness/home-assistant/connected-panel.ts'
import { homeAssistantId } from '../../../../harness/home-assistant/home-assistant-flow.ts'
import { describeWithMosquitto } from '../../../../harness/mosquitto.ts'
import type { DeployKind } from '../../../../harness/node-red/node-red-process.ts'
import type { FlowNode } from '../../../../harness/node-red/recorded-flow.ts'
import { latency } from '../../../../src/simulator/faults/network-faults.ts'

const availability = 'keyholder/A1B2C3/availability'
const foreign = 'keyholder/F0/availability'

/** Waits until the broker has told that the panel is offline, or online again. */
const untilTold = ({ client }: ConnectedPanel, word: 'online' | 'offline') =>
  client.until(() => client.latest.get(availability) === word, `the panel to be ${word}`)

/** Publishes a panel of another Node-RED that shares the broker. */
async function keepForeignPanel({ client }: ConnectedPanel): Promise<void> {
  await client.publish('keyholder/F0/announced', '{"keeper":"elsewhere/other"}', true)
  await client.publish(foreign, 'online', true)
}

const isOurs = ({ type }: Pick<FlowNode, 'type'>) => type.startsWith('keyholder-')

/** Replaces fields of a node. */
const withFields = (flows: readonly FlowNode[], id: string, fields: object): FlowNode[] =>
  flows.map((node) => (node.id === id ? { ...node, ...fields } : node))

describeWithMosquitto('A panel that a deploy leaves without a node, with a real Node-RED', (broker) => {
  let home: ConnectedPanel
  /** The flows; a second tab keeps the broker connected. */
  let flows: FlowNode[]

  /** Deploys the flows with their secrets, which a deploy may have removed. */
  const restore = async () => {
    const { email, password, userCode } = home.harness.simulator
    const withAccount = withFields(flows, 'account', { credentials: { email, password } })
    await home.nodeRed.deploy(withFields(withAccount, 'panel', { credentials: { userCode } }))
    await untilTold(home, 'online')
  }

  before(async () => {
    home = await ConnectedPanel.open(broker)
    const other = { type: 'mqtt in', topic: 'other', qos: '1', datatype: 'utf8', broker: 'broker' }
    flows = [
      // The nodes of the broker belong to no panel, and the broker to no tab.
      ...home.flows.map(({ panel, z, ...node }) => {
        if (node.type === 'mqtt-broker') return node
        return isOurs(node) ? { ...node, panel, z } : { ...node, z }
      }),
      { id: 'other tab', type: 'tab', label: 'Other' },
      { id: 'other in', z: 'other tab', ...other, x: 0, y: 0, wires: [[]] },
    ]
    await restore()
    await keepForeignPanel(home)
  })
  afterEach(async () => {
    await restore()
    assert.equal(home.client.latest.get(foreign), 'online')
  })
  after(() => home?.close())

  const cases: [string, (all: FlowNode[]) => FlowNode[], DeployKind][] = [
    ['its node is deleted', (all) => all.filter(({ id }) => id !== homeAssistantId), 'nodes'],
    ['its node is disabled', (all) => withFields(all, homeAssistantId, { d: true }), 'nodes'],
    ['its tab is disabled', (all) => withFields(all, 'tab', { disabled: true }), 'nodes'],
    ['its tab is deleted', (all) => all.filter(({ id, z }) => ![id, z].includes('tab')), 'flows'],
    ['a full deploy leaves no node of ours', (all) => all.filter((node) => !isOurs(node)), 'full'],
    [
      'a full deploy gives its node another panel',
      (all) => withFields(all, 'panel', { serial: '012345' }),
      'full',
    ],
    ['its panel is disabled', (all) => withFields(all, 'panel', { d: true }), 'nodes'],
    [
      'its panel gets another serial number',
      (all) => withFields(all, 'panel', { serial: '012345' }),
      'nodes',
    ],
    ['a variable is missing', (all) => withFields(all, 'account', { url: `\${KEYHOLDER_UNSET}` }), 'nodes'],
  ]
  for (const [what, change, kind] of cases)
    it(`is told to be offline when ${what}`, async () => {
      await home.nodeRed.deploy(change(flows), kind)
      await untilTold(home, 'offline')
      // A full deploy connects anew.
      await home.client.until(() => home.client.latest.get('keyholder/bridge') === 'online')
      const config = 'homeassistant/device/keyholder_A1B2C3/config'
      const isDeleted = what.endsWith('deleted') || what.endsWith('no node of ours')
      await home.client.until(() => !home.client.latest.has(config) === isDeleted, 'the announcement')
      const kept = await retainedOf(broker.port)
      assert.equal(kept.get(availability), 'offline')
      const announced = [...kept.keys()].filter((topic) => topic.endsWith('/config'))
      assert.equal(announced.length === 0, isDeleted, announced.join())
      const diagnostics = 'keyholder/A1B2C3/diagnostics/state'
      await home.client.until(() => /"online":null/.test(home.client.latest.get(diagnostics) ?? ''))
    })

  it('stays online when its node is deployed with another name', async () => {
    const { length } = home.client.messages.all
    await home.nodeRed.deploy(withFields(flows, homeAssistantId, { name: 'other' }), 'nodes')
    home.panel.open(1)
    const door = `keyholder/A1B2C3/d${home.panel.zone(1).id}/state`
    await home.client.until(() => home.client.json(door)?.open === 'ON', 'the door')
    home.panel.close(1)
    const since = home.client.messages.all.slice(length)
    assert.ok(!since.some(({ topic, payload }) => topic === availability && payload === 'offline'))
  })
})

describeWithMosquitto('A panel that the broker keeps from a Node-RED that was killed', (broker) => {
  it('is offline from the next start on until it is read, or as long as it cannot be opened or has no node', async () => {
    const home = await ConnectedPanel.open(broker)
    try {
      await untilTold(home, 'online')
      await keepForeignPanel(home)
      const { simulator } = home.harness
      const credentials = {
        account: { email: simulator.email, password: simulator.password },
        panel: { userCode: simulator.userCode },
      }
      const of = (serial: string) => home.client.latest.get(`keyholder/${serial}/availability`)
      /** Starts Node-RED again; the broker says that it is connected, and keeps a panel as online. */
      const startAgain = async (
        serial: string,
        flows: FlowNode[],
        secrets: typeof credentials | undefined,
      ) => {
        await home.nodeRed.kill()
        await home.client.until(() => home.client.latest.get('keyholder/bridge') === 'offline', 'the will')
        assert.equal(of(serial), 'online')
        await home.harness.writeFlowFile(flows, secrets)
        await home.restart()
        await home.client.until(() => home.client.latest.get('keyholder/bridge') === 'online', 'the birth')
        await home.client.until(() => of(serial) === 'offline', `the panel ${serial} to be offline`)
      }
      const end = simulator.faults.start(latency(20_000), { operation: 'status' })
      await startAgain('A1B2C3', home.flows, credentials)
      end()
      await untilTold(home, 'online')

      const withOther = withFields(home.flows, 'panel', { serial: '012345' })
      await startAgain('A1B2C3', withOther, credentials)
      await home.client.until(() => of('012345') === 'online', 'the other panel to be online')

      await startAgain('012345', withOther, undefined)
      assert.equal((await retainedOf(broker.port)).get(foreign), 'online')
    } finally {
      await home.close()
    }
  })
})

import assert from 'node:assert/strict'
import { ConnectedPanel } from '../../../../harness/home-assistant/connected-panel.ts'
import { homeAssistantId } from '../../../../harness/home-assistant/home-assistant-flow.ts'
import { describeWithMosquitto } from '../../../../harness/mosquitto.ts'
import type { FlowMessage, Recorder } from '../../../../harness/recorder.ts'

/** Waits for the next error of a Catch node: that of the node which is refused. */
async function refusedAs(expected: string[], caught: Recorder<FlowMessage>): Promise<void> {
  const { error } = await caught.next()
  assert.deepEqual([error.code, error.source.id], expected)
  assert.match(error.message, /Base topic: another Home Assistant node uses/)
}

describeWithMosquitto(
  'Two Home Assistant nodes of a panel, with a real broker and a real Node-RED',
  (broker) => {
    it('need different base topics: the second one is refused, which a Catch node gets, and obeys no commands', async () => {
      const home = await ConnectedPanel.open(broker)
      try {
        await home.client.until(() => home.client.latest.has('keyholder/A1B2C3/announced'))
        const copies = home.flows.flatMap((node) => {
          const { wires = [] } = node as { wires?: string[][] }
          if (node.id === homeAssistantId)
            return [node, { ...node, id: 'copy', form: 'single', prefix: 'openhab' }]
          if (node.type === 'catch') return [{ ...node, scope: [homeAssistantId, 'copy'] }]
          return [
            wires.flat().includes(homeAssistantId) ? { ...node, wires: [[homeAssistantId, 'copy']] } : node,
          ]
        })
        await home.nodeRed.deploy(copies, 'nodes')
        const caught = home.harness.messages.from('tab catch')
        await refusedAs(['BAD_SETTING', 'copy'], caught)
        // The modules are loaded now, so that the node is refused while the flows start.
        await home.nodeRed.deploy(copies, 'full')
        await refusedAs(['BAD_SETTING', 'copy'], caught)
        home.client.messages.skip()
        await home.client.until(() => home.client.latest.get('keyholder/bridge') === 'online')
        await home.client.publish('keyholder/A1B2C3/partition_1/set', 'ARM_HOME')
        await home.client.until(
          () => home.client.latest.get('keyholder/A1B2C3/command')?.includes('done') === true,
        )
        const commands = home.harness.simulator.requests.filter(({ path }) => path.endsWith('/set_state'))
        assert.equal(commands.length, 1)
        const topics = [...home.client.latest.keys()]
        assert.ok(!topics.some((topic) => topic.startsWith('openhab/')))
      } finally {
        await home.close()
      }
    })
  },
)

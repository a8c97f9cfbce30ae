import type { Node, NodeAPI } from 'node-red'
import type { HomeAssistantDef } from './home-assistant-behavior.ts'
import { brokerInput } from './shared/broker-input.ts'
import { bindToPanel } from './shared/panel-binding.ts'

/** The node `keyholder-home-assistant`: announces a panel to Home Assistant by MQTT, and carries out its commands. */
export default function register(RED: NodeAPI): void {
  function HomeAssistantNode(this: Node, def: HomeAssistantDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./home-assistant-behavior.ts'), brokerInput)
  }

  RED.nodes.registerType('keyholder-home-assistant', HomeAssistantNode)
}

import type { Node, NodeAPI } from 'node-red'
import type { EventsDef } from './events-behavior.ts'
import { bindToPanel } from './shared/panel-binding.ts'

/** The node `keyholder-events`: one message for each new event, oldest first. */
export default function register(RED: NodeAPI): void {
  function EventsNode(this: Node, def: EventsDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./events-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-events', EventsNode)
}

import type { Node, NodeAPI } from 'node-red'
import { bindToPanel } from '../binding/panel-binding.ts'
import type { EventsDef } from './events-behavior.ts'

/** The node `keyholder-events`: one message for each new event, oldest first. */
export default function register(RED: NodeAPI): void {
  function EventsNode(this: Node, def: EventsDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./events-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-events', EventsNode)
}

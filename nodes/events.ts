import type { Node, NodeAPI } from 'node-red'
import type { EventsDef } from './behaviours/events.ts'
import { attach } from './shared/attach.ts'

/** The node `keyholder-events`: one message for each new event, oldest first. */
export default function register(RED: NodeAPI): void {
  function EventsNode(this: Node, def: EventsDef): void {
    RED.nodes.createNode(this, def)
    attach(RED, this, def, () => import('./behaviours/events.ts'))
  }

  RED.nodes.registerType('keyholder-events', EventsNode)
}

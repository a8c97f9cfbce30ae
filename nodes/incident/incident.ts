import type { Node, NodeAPI } from 'node-red'
import { bindToPanel } from '../binding/panel-binding.ts'
import type { IncidentDef } from './incident-behavior.ts'

/** The node `keyholder-incident`: one message that grows, from the first alarm until the panel says that it is over. */
export default function register(RED: NodeAPI): void {
  function IncidentNode(this: Node, def: IncidentDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./incident-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-incident', IncidentNode)
}

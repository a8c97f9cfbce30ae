import type { Node, NodeAPI } from 'node-red'
import { bindToPanel } from '../binding/panel-binding.ts'
import type { StateDef } from './state-behavior.ts'

/** The node `keyholder-state`: one message for each partition. */
export default function register(RED: NodeAPI): void {
  function StateNode(this: Node, def: StateDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./state-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-state', StateNode)
}

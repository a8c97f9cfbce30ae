import type { Node, NodeAPI } from 'node-red'
import { bindToPanel } from '../binding/panel-binding.ts'
import type { ConditionsDef } from './conditions-behavior.ts'

/** The node `keyholder-conditions`: the list of what needs attention now, when it changes. */
export default function register(RED: NodeAPI): void {
  function ConditionsNode(this: Node, def: ConditionsDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./conditions-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-conditions', ConditionsNode)
}

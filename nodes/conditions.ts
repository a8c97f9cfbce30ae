import type { Node, NodeAPI } from 'node-red'
import type { ConditionsDef } from './conditions-behavior.ts'
import { bindToPanel } from './shared/panel-binding.ts'

/** The node `keyholder-conditions`: the list of what needs attention now, when it changes. */
export default function register(RED: NodeAPI): void {
  function ConditionsNode(this: Node, def: ConditionsDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./conditions-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-conditions', ConditionsNode)
}

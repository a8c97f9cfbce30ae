import type { Node, NodeAPI } from 'node-red'
import type { StateDef } from './behaviours/state.ts'
import { attach } from './shared/attach.ts'

/** The node `keyholder-state`: one message for each partition. */
export default function register(RED: NodeAPI): void {
  function StateNode(this: Node, def: StateDef): void {
    RED.nodes.createNode(this, def)
    attach(RED, this, def, () => import('./behaviours/state.ts'))
  }

  RED.nodes.registerType('keyholder-state', StateNode)
}

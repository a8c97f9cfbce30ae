import type { Node, NodeAPI } from 'node-red'
import { bindTo } from '../binding/panel-binding.ts'
import type { QueryDef } from './behavior.ts'
import { queriedNode } from './queried-node.ts'

/** The node `keyholder-query`: the response of one operation, with the service's own field names. */
export default function register(RED: NodeAPI): void {
  function QueryNode(this: Node, def: QueryDef): void {
    RED.nodes.createNode(this, def)
    bindTo(RED, this, def, () => import('./behavior.ts'), queriedNode(RED, this, def))
  }

  RED.nodes.registerType('keyholder-query', QueryNode)
}

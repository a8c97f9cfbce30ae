import type { Node, NodeAPI } from 'node-red'
import type { QueryDef } from './behaviours/query.ts'
import { attach } from './shared/attach.ts'

/** The node `keyholder-query`: the answer to one operation, with the service's own field names. */
export default function register(RED: NodeAPI): void {
  function QueryNode(this: Node, def: QueryDef): void {
    RED.nodes.createNode(this, def)
    attach(RED, this, def, () => import('./behaviours/query.ts'))
  }

  RED.nodes.registerType('keyholder-query', QueryNode)
}

import type { Node, NodeAPI } from 'node-red'
import type { ReadingsDef } from './behaviours/readings.ts'
import { attach } from './shared/attach.ts'

/** The node `keyholder-readings`: one message for each device and kind of reading. */
export default function register(RED: NodeAPI): void {
  function ReadingsNode(this: Node, def: ReadingsDef): void {
    RED.nodes.createNode(this, def)
    attach(RED, this, def, () => import('./behaviours/readings.ts'))
  }

  RED.nodes.registerType('keyholder-readings', ReadingsNode)
}

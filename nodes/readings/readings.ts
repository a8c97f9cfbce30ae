import type { Node, NodeAPI } from 'node-red'
import { bindToPanel } from '../binding/panel-binding.ts'
import type { ReadingsDef } from './readings-behavior.ts'

/** The node `keyholder-readings`: one message for each device and kind of reading. */
export default function register(RED: NodeAPI): void {
  function ReadingsNode(this: Node, def: ReadingsDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./readings-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-readings', ReadingsNode)
}

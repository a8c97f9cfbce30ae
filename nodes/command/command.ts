import type { Node, NodeAPI } from 'node-red'
import { bindToPanel } from '../binding/panel-binding.ts'
import type { CommandDef } from './command-behavior.ts'

/** The node `keyholder-command`: executes the command in each incoming message, or fails with the reason. */
export default function register(RED: NodeAPI): void {
  function CommandNode(this: Node, def: CommandDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./command-behavior.ts'))
  }

  RED.nodes.registerType('keyholder-command', CommandNode)
}

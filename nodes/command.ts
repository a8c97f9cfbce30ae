import type { Node, NodeAPI } from 'node-red'
import type { CommandDef } from './behaviours/command.ts'
import { attach } from './shared/attach.ts'

/** The node `keyholder-command`: what comes in is done, or fails with the reason. */
export default function register(RED: NodeAPI): void {
  function CommandNode(this: Node, def: CommandDef): void {
    RED.nodes.createNode(this, def)
    attach(RED, this, def, () => import('./behaviours/command.ts'))
  }

  RED.nodes.registerType('keyholder-command', CommandNode)
}

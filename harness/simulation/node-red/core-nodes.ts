import type { NodeAPI, NodeDef } from 'node-red'
import type { FlowNode, Message } from './flow-node.ts'

type Definition = NodeDef & { scope?: string[] | null; uncaught?: boolean }
type Listening = FlowNode & Pick<Definition, 'scope' | 'uncaught'>

/** Registers Node-RED's nodes Catch, Status and Complete: they pass on what the flow tells them. */
export function registerCoreNodes(RED: NodeAPI): void {
  for (const type of ['catch', 'status', 'complete']) {
    RED.nodes.registerType(type, function (this: Listening, def: Definition) {
      RED.nodes.createNode(this as never, def)
      this.scope = type === 'complete' ? (def.scope ?? []) : (def.scope as string[])
      if (def.uncaught !== undefined) this.uncaught = def.uncaught
      if (type !== 'catch' && Array.isArray(this.scope)) leaveOutTargets(this.scope, this.wires.flat())
      this.on('input', (message: Message, send: (sent: Message) => void, done: () => void) => {
        send(message)
        done()
      })
    } as never)
  }
}

/** Leaves out the nodes that the node is wired to, which would hear of themselves. */
function leaveOutTargets(scope: string[], targets: readonly string[]): void {
  for (const target of targets) {
    const index = scope.indexOf(target)
    if (index >= 0) scope.splice(index, 1)
  }
}

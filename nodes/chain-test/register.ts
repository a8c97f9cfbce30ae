import type { Node, NodeAPI } from 'node-red'
import { addFormRoute } from '../admin/form-route.ts'
import { type AttachedDef, bindToPanel } from '../binding/panel-binding.ts'
import type { ChainTestCredentials } from './behavior.ts'
import { newPress } from './button.ts'

const type = 'keyholder-chain-test'

/** The node `keyholder-chain-test`: sends a test message that asks for an answer, and calls a watcher outside. */
export default function register(RED: NodeAPI): void {
  function ChainTestNode(this: Node<ChainTestCredentials>, def: AttachedDef): void {
    RED.nodes.createNode(this, def)
    bindToPanel(RED, this, def, () => import('./behavior.ts'))
  }

  // The button of the node.
  addFormRoute(RED, ['chain-test'], 'start', async () => ({
    answer: async (id, _form, reply) => {
      const node = RED.nodes.getNode(id)
      if (node?.type === type) node.receive(newPress())
      reply.end()
    },
    fail: (_error, reply) => void reply.end(),
  }))
  RED.nodes.registerType<Node<ChainTestCredentials>, AttachedDef, object, ChainTestCredentials>(
    type,
    ChainTestNode,
    { credentials: { watcherUrl: { type: 'password' } } },
  )
}

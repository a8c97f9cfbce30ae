import { setMaxListeners } from 'node:events'
import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Panel } from '../../src/panel/panel.ts'
import { asKeyholderError, KeyholderError } from '../../src/service/error.ts'
import type { PanelNode } from '../panel.ts'
import { guard } from './guard.ts'
import { StatusLight } from './status-light.ts'

/** A message of a flow: ours and everybody's. */
export type FlowMessage = NodeMessage & Record<string, unknown>

/** What makes one kind of flow node differ from another. */
export interface Behaviour {
  /** Begins to listen to the panel; the answer ends it. */
  listen(panel: Panel, light: StatusLight): () => void
  /**
   * Answers an incoming message.
   * @param send sends to the node's one output
   * @throws KeyholderError which then reaches the Catch nodes
   */
  answer(
    panel: Panel,
    message: FlowMessage,
    send: (messages: FlowMessage[]) => void,
    signal: AbortSignal,
  ): Promise<void>
}

/**
 * Joins a flow node to its panel: listens while the node lives, answers its input, shows its status.
 *
 * Whatever comes first, the close or the panel: nothing is begun that is not ended.
 * @param panelId the node's setting `panel`
 */
export function attach(RED: NodeAPI, node: Node, panelId: string | undefined, behaviour: Behaviour): void {
  const light = new StatusLight(RED, node)
  const panelNode = panelId ? (RED.nodes.getNode(panelId) as PanelNode | null) : null
  const life = new AbortController()
  // Every input that waits listens to it, and there may be many.
  setMaxListeners(0, life.signal)
  let stop = () => {}
  const opening = panelNode?.open ? panelNode.open() : undefined
  if (panelNode?.users) panelNode.users[node.id] = node

  guard(node, async () => {
    if (opening === undefined) return light.notConfigured()
    try {
      const panel = await opening
      if (!life.signal.aborted) stop = behaviour.listen(panel, light)
    } catch (thrown) {
      // The panel node has said it for all; here it is only shown.
      light.failing(asKeyholderError(thrown))
    }
  })

  node.on('input', (message, send, done) => {
    guard(
      node,
      async () => {
        const panel = await (opening ?? notConfigured())
        light.running()
        await behaviour.answer(panel, message as FlowMessage, (messages) => send([messages]), life.signal)
        done()
      },
      (error) => {
        light.failing(asKeyholderError(error))
        done(error)
      },
    )
  })

  node.on('close', (done: () => void) => {
    guard(
      node,
      () => {
        life.abort()
        if (panelNode?.users) delete panelNode.users[node.id]
        stop()
        done()
      },
      () => done(),
    )
  })
}

function notConfigured(): never {
  throw new KeyholderError('NOT_CONFIGURED', 'panel is missing: choose an alarm panel in this node.')
}

/**
 * Our messages laid over the one that came in: its other properties pass through, the object itself goes on with the
 * first, and the further ones are clones of it.
 */
export function laidOver(RED: NodeAPI, incoming: FlowMessage, messages: readonly object[]): FlowMessage[] {
  const bases = messages.map((_, index) => (index === 0 ? incoming : RED.util.cloneMessage(incoming)))
  return bases.map((base, index) => Object.assign(base, messages[index]))
}

import { setMaxListeners } from 'node:events'
import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { OnDemand } from '../../src/on-demand.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { asKeyholderError, KeyholderError } from '../../src/service/error.ts'
import { configNode } from './config-node.ts'
import { whenFlowsStarted } from './flows-started.ts'
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
    light: StatusLight,
  ): Promise<void>
}

/** The settings of a node that is joined to a panel. */
export interface AttachedDef extends NodeDef {
  panel?: string
}

/** A module with the behaviour of one kind of flow node. */
export interface BehaviourModule<D extends AttachedDef> {
  behaviour(RED: NodeAPI, node: Node, def: D): Behaviour
}

/**
 * Joins a flow node to its panel: listens while the node lives, answers its input, shows its status.
 *
 * Whatever comes first, the close or the panel: nothing is begun that is not ended.
 * @param load imports what the node does: a Node-RED that has no such node starts without it
 */
export function attach<D extends AttachedDef>(
  RED: NodeAPI,
  node: Node,
  def: D,
  load: () => Promise<BehaviourModule<D>>,
): void {
  const light = new StatusLight(RED, node)
  const life = new AbortController()
  // Every input that waits listens to it, and there may be many.
  setMaxListeners(0, life.signal)
  let leave: (() => void) | undefined
  let stop: (() => void) | undefined
  const loaded = new OnDemand(async () => (await load()).behaviour(RED, node, def))

  const whenStarted = whenFlowsStarted(RED, node)

  const open = async (): Promise<[Panel, Behaviour]> => {
    const panelNode = configNode(RED, 'keyholder-panel', def.panel)
    if (panelNode === undefined) {
      throw new KeyholderError('NOT_CONFIGURED', 'panel is missing: choose an alarm panel in this node.')
    }
    leave = panelNode.join(node)
    return Promise.all([panelNode.open(), loaded.get()])
  }
  const listen = (panel: Panel, behaviour: Behaviour): void => {
    if (!life.signal.aborted) stop ??= behaviour.listen(panel, light)
  }

  guard(
    node,
    // That this fails, as while the package is being replaced, nobody else says.
    async () => void (await loaded.get()),
    (thrown) => whenStarted(() => node.error(asKeyholderError(thrown), {})),
  )
  guard(
    node,
    async () => listen(...(await open())),
    // The panel node says it for all; here it is only shown.
    (thrown) => whenStarted(() => light.failing(asKeyholderError(thrown))),
  )

  node.on('input', (message, send, done) => {
    let panel: Panel | undefined
    guard(
      node,
      async () => {
        const [opened, behaviour] = await open()
        panel = opened
        // Where the panel was not there at the start, it is listened to from now on.
        guard(node, () => listen(opened, behaviour))
        light.running()
        await behaviour.answer(
          opened,
          message as FlowMessage,
          (messages) => send([messages]),
          life.signal,
          light,
        )
        done()
      },
      (thrown) => {
        // Whoever asked is gone with the node: nothing failed.
        if (life.signal.aborted) return done()
        const error = asKeyholderError(thrown)
        if (panel === undefined) light.failing(error)
        else light.condition(panel, { state: 'failing', error }, '')
        done(error)
      },
    )
  })

  node.on('close', (done: () => void) => {
    guard(
      node,
      () => {
        life.abort()
        leave?.()
        stop?.()
        light.end()
        done()
      },
      () => done(),
    )
  })
}

/**
 * Our messages laid over the one that came in: its other properties pass through, the object itself goes on with the
 * first, and the further ones are clones of it.
 */
export function laidOver(RED: NodeAPI, incoming: FlowMessage, messages: readonly object[]): FlowMessage[] {
  const bases = messages.map((_, index) => (index === 0 ? incoming : RED.util.cloneMessage(incoming)))
  return bases.map((base, index) => Object.assign(base, messages[index]))
}

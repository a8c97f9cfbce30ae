import { setMaxListeners } from 'node:events'
import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { Lazy } from '../../src/lazy.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { asKeyholderError } from '../../src/service/error.ts'
import { missingSetting, refuseUnsetVariables } from '../../src/settings.ts'
import { whenFlowsStarted } from './after-flows-started.ts'
import { configNode } from './config-nodes.ts'
import { guard } from './guard.ts'
import { NodeStatus } from './node-status.ts'

/** A message of a flow with any properties. */
export type FlowMessage = NodeMessage & Record<string, unknown>

/** The part of a flow node that differs by its type. */
export interface Behavior {
  /** Subscribes to the panel; returns a function that unsubscribes. */
  subscribe(panel: Panel, status: NodeStatus): () => void
  /**
   * Answers an incoming message.
   * @param send sends to the only output of the node
   * @throws KeyholderError which is sent to the Catch nodes
   */
  onInput(
    panel: Panel,
    message: FlowMessage,
    send: (messages: FlowMessage[]) => void,
    signal: AbortSignal,
    status: NodeStatus,
  ): Promise<void>
}

/** The settings of a node that uses a panel. */
export interface AttachedDef extends NodeDef {
  panel?: string
}

/** A module with the behavior of one type of flow node. */
export interface BehaviorModule<D extends AttachedDef> {
  behavior(RED: NodeAPI, node: Node, def: D): Behavior
}

/**
 * Binds a flow node to its panel: subscribes until the node is closed, answers its input, shows its status.
 *
 * If the node is closed before the panel is open, it does not subscribe.
 * @param load imports the behavior; a Node-RED that has no such node starts without it
 */
export function bindToPanel<D extends AttachedDef>(
  RED: NodeAPI,
  node: Node,
  def: D,
  load: () => Promise<BehaviorModule<D>>,
): void {
  const status = new NodeStatus(RED, node)
  const life = new AbortController()
  // Each waiting input adds an abort listener, and there may be many.
  setMaxListeners(0, life.signal)
  let leave: (() => void) | undefined
  let stop: (() => void) | undefined
  const loaded = new Lazy(async () => {
    refuseUnsetVariables(def)
    return (await load()).behavior(RED, node, def)
  })

  const whenStarted = whenFlowsStarted(RED, node)

  const open = async (): Promise<[Panel, Behavior]> => {
    refuseUnsetVariables(def)
    const panelNode = configNode(RED, 'keyholder-panel', def.panel)
    if (panelNode === undefined) {
      throw missingSetting('panel', 'this node')
    }
    leave = panelNode.join(node)
    return Promise.all([panelNode.open(), loaded.get()])
  }
  const listen = (panel: Panel, behavior: Behavior): void => {
    if (!life.signal.aborted) stop ??= behavior.subscribe(panel, status)
  }

  guard(
    node,
    // No other code reports a wrong setting of this node, or that this import failed, e.g. while the package is
    // being replaced.
    async () => void (await loaded.get()),
    (thrown) => whenStarted(() => node.error(asKeyholderError(thrown), {})),
  )
  guard(
    node,
    async () => listen(...(await open())),
    // The panel node reports this error for all nodes; here only the status shows it.
    (thrown) => whenStarted(() => status.showError(asKeyholderError(thrown))),
  )

  node.on('input', (message, send, done) => {
    let panel: Panel | undefined
    guard(
      node,
      async () => {
        const [opened, behavior] = await open()
        panel = opened
        // Subscribes now if the panel could not be opened at the start.
        guard(node, () => listen(opened, behavior))
        status.showRunning()
        await behavior.onInput(
          opened,
          message as FlowMessage,
          (messages) => send([messages]),
          life.signal,
          status,
        )
        done()
      },
      (thrown) => {
        // The node is closed; that is not an error.
        if (life.signal.aborted) return done()
        const error = asKeyholderError(thrown)
        if (panel === undefined) status.showError(error)
        else status.showCondition(panel, { state: 'failing', error }, '')
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
        status.stop()
        done()
      },
      () => done(),
    )
  })
}

/**
 * Merges our messages into the incoming one: its other properties are kept. The first message reuses the
 * object, the others are clones of it.
 */
export function mergeInto(RED: NodeAPI, incoming: FlowMessage, messages: readonly object[]): FlowMessage[] {
  const bases = messages.map((_, index) => (index === 0 ? incoming : RED.util.cloneMessage(incoming)))
  return bases.map((base, index) => Object.assign(base, messages[index]))
}

import type { Node, NodeAPI } from 'node-red'
import type { Members, PanelNode } from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { flowsStarted } from '../shared/node-lifecycle.ts'

/** A config node that a flow node can be bound to, or several of them. */
export interface Bindable<S> {
  join: Members['join']
  /** @throws KeyholderError if a setting is invalid */
  open(): Promise<S>
  /** Absent where there are no rehearsals. */
  rehearse?: PanelNode['rehearse']
}

/**
 * Binds a flow node to a config node, once for each panel that it follows. `open` throws a KeyholderError if none is selected or a
 * setting is invalid; `close` ends the binding, because the flow node is closed.
 * @param restart called when a deploy restarts the config node but not the flow node; returns what begins anew when the flows
 * have started, unless the flow node is closed by then
 */
export function bindToConfig<S>(
  RED: NodeAPI,
  node: Node,
  find: () => Bindable<S>,
  restart: () => () => void,
) {
  let leave = () => {}
  let isClosed = false
  const reopen = () => {
    leave()
    const begin = restart()
    guard(node, async () => {
      await flowsStarted(RED)
      if (!isClosed) begin()
    })
  }
  const open = (): Promise<S> => {
    const found = find()
    leave = found.join(node, reopen)
    return found.open()
  }
  const close = () => {
    isClosed = true
    leave()
  }
  return { open, close }
}

import type { Node, NodeAPI } from 'node-red'
import type { AttachedDef, Behavior } from '../binding/panel-binding.ts'

/** Returns the behavior of a troubles node. */
export function behavior(_RED: NodeAPI, _node: Node, _def: AttachedDef): Behavior {
  return {
    subscribe: (_panel, status) => {
      status.showIdle()
      return () => {}
    },
    onInput: async (_panel, incoming, send, _signal, status) => {
      send([incoming])
      status.showIdle()
    },
  }
}

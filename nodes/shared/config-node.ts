import type { NodeAPI } from 'node-red'
import type { AccountNode } from '../account.ts'
import type { PanelNode } from '../panel.ts'

interface ConfigNodes {
  'keyholder-account': AccountNode
  'keyholder-panel': PanelNode
}

/** The deployed config node of a type with this id, where there is one; an id may come from anywhere. */
export function configNode<T extends keyof ConfigNodes>(
  RED: NodeAPI,
  type: T,
  id: unknown,
): ConfigNodes[T] | undefined {
  const found = typeof id === 'string' ? RED.nodes.getNode(id) : undefined
  return found?.type === type ? (found as ConfigNodes[T]) : undefined
}

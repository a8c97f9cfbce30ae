import type { Node, NodeAPI } from 'node-red'
import type { Queries } from '../../src/panel/account-queries.ts'
import { asKeyholderError, KeyholderError } from '../../src/service/error.ts'
import type { Bindable } from '../binding/config-binding.ts'
import type { AttachedDef } from '../binding/panel-binding.ts'
import { type AccountNode, selectedNode } from '../config/config-nodes.ts'
import { whenFlowsStarted } from '../shared/node-lifecycle.ts'

/** The settings of a node that asks a panel, or without one an account. */
export interface QueriedDef extends AttachedDef {
  /** The id of an account, used without a panel. */
  account?: string
}

/**
 * Returns a function that finds the config node that a query node asks: its panel, or without one its account.
 * The function throws NOT_CONFIGURED if neither is selected. Call it in the constructor of the node.
 */
export function queriedNode(
  RED: NodeAPI,
  node: Node,
  { panel, account }: QueriedDef,
): () => Bindable<Queries> {
  const whenStarted = whenFlowsStarted(RED, node)
  let isReported = false
  const open = async (accountNode: AccountNode): Promise<Queries> => {
    try {
      const opened = await accountNode.open()
      const { AccountQueries } = await import('../../src/panel/account-queries.ts')
      isReported = false
      return new AccountQueries(opened.account, accountNode.name ?? '')
    } catch (thrown) {
      // A panel node reports the errors of its account once; for an account alone no other node does.
      const error = asKeyholderError(thrown)
      if (!isReported) whenStarted(() => node.error(error, {}))
      isReported = true
      throw error
    }
  }
  return () => {
    if (panel) return selectedNode(RED, 'panel', panel)
    if (!account) throw nothingSelected()
    const accountNode = selectedNode(RED, 'account', account)
    return { join: accountNode.join, open: () => open(accountNode) }
  }
}

function nothingSelected(): KeyholderError {
  const sentence = 'Panel is not selected, or was deleted: choose one in this node, or an account.'
  return new KeyholderError('NOT_CONFIGURED', sentence)
}

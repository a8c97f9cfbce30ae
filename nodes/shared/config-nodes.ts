import type { Node, NodeAPI } from 'node-red'
import type { Panel } from '../../src/panel/panel.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { OpenAccount } from './open-account.ts'

/** The secrets of an account, which Node-RED keeps apart from its settings. */
export interface AccountCredentials {
  email: string
  password: string
}

/** The config node `keyholder-account`. */
export interface AccountNode extends Node<AccountCredentials> {
  /** Settings as deployed, without credentials; `${NAME}` is replaced by its value. */
  readonly deployed: RawSettings
  /**
   * Returns the account, created on first use so that it does not delay the start of Node-RED.
   * @throws KeyholderError if a setting is invalid
   */
  open(): Promise<OpenAccount>
}

/** The secret of a panel, which Node-RED keeps apart from its settings. */
export interface PanelCredentials {
  userCode: string
}

/** The config node `keyholder-panel`. */
export interface PanelNode extends Node<PanelCredentials> {
  /** Settings as deployed, without the user code. */
  readonly deployed: RawSettings
  /** Nodes by id through which Node-RED sends the panel's errors to Catch nodes. */
  users: Record<string, Node>
  /** Registers a node that uses the panel; returns a function that removes it. */
  join(node: Node): () => void
  /** Logs an error and sends it to the Catch nodes of the users, as soon as the flows have started. */
  report(error: KeyholderError): void
  /**
   * Returns the panel, created on first use.
   * @throws KeyholderError if a setting of the panel or its account is invalid
   */
  open(): Promise<Panel>
}

interface ConfigNodes {
  'keyholder-account': AccountNode
  'keyholder-panel': PanelNode
}

/** Returns the deployed config node of this type and id, or nothing; the id can be any untrusted value. */
export function configNode<T extends keyof ConfigNodes>(
  RED: NodeAPI,
  type: T,
  id: unknown,
): ConfigNodes[T] | undefined {
  const found = typeof id === 'string' ? RED.nodes.getNode(id) : undefined
  return found?.type === type ? (found as ConfigNodes[T]) : undefined
}

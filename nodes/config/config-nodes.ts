import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { missingSetting, type RawSettings } from '../../src/settings.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { guard } from '../shared/guard.ts'

/** The note of a dialog in which a secret was entered; see `stored-for.ts`. */
interface EntryNote {
  storedFor?: string
}

/** The secrets of an account, which Node-RED keeps apart from its settings. */
export interface AccountCredentials extends EntryNote {
  email: string
  password: string
}

/**
 * The nodes that use a config node.
 *
 * A deploy of changed nodes restarts the nodes that name a changed config node, but not those that get it from
 * a property of their subflow. They must open the new config node themselves.
 */
export class Members {
  readonly #members = new Map<Node, () => void>()

  /** The nodes that use the config node. */
  get nodes(): Node[] {
    return [...this.#members.keys()]
  }

  /**
   * Adds a node and returns a function that removes it.
   * @param onClose called when the config node closes; the node is then removed
   */
  join(node: Node, onClose: () => void): () => void {
    this.#members.set(node, onClose)
    return () => this.#members.delete(node)
  }

  /** Tells all nodes that the config node closes. */
  close(): void {
    const members = [...this.#members]
    this.#members.clear()
    for (const [node, onClose] of members) guard(node, onClose)
  }
}

/** An account with all that a panel needs to use it. */
export interface OpenAccount {
  account: Account
  /** Folder for data that must survive a restart. */
  folder: string
  /** The service of the demo, if the account is the demo. */
  demo: Simulator | undefined
  /** The cluster that the account belongs to; undefined if it is alone. */
  cluster: OpenCluster | undefined
  /** Ends the use of the account; its tokens are kept for a while, for a redeploy. */
  release(): Promise<void>
}

/** The config node `keyholder-account`. */
export interface AccountNode extends Node<AccountCredentials> {
  /** Settings as deployed, without credentials; `${NAME}` is replaced by its value. */
  readonly deployed: RawSettings
  /** Nodes by id through which Node-RED sends the account's errors to Catch nodes. */
  users: Record<string, Node>
  /** Registers a node that uses the account; see `Members`. */
  join: Members['join']
  /**
   * Returns the account, created on first use so that it does not delay the start of Node-RED.
   * @throws KeyholderError if a setting is invalid
   */
  open(): Promise<OpenAccount>
}

/** A cluster in use; call `release` to end the use. */
export interface OpenCluster {
  readonly cluster: Cluster
  /** Resolves when the first attempt to connect has ended, whatever its outcome; never rejects. */
  readonly tried: Promise<void>
  /** Calls `listener` when the status may have changed. Returns a function that ends this. */
  onChange(listener: () => void): () => void
  release(): void
}

/** The secrets of a cluster, which Node-RED keeps apart from its settings. */
export interface ClusterCredentials extends EntryNote {
  username: string
  password: string
}

/** The config node `keyholder-cluster`. */
export interface ClusterNode extends Node<ClusterCredentials> {
  /** Settings as deployed, without credentials; `${NAME}` is replaced by its value. */
  readonly deployed: RawSettings
  /** Registers a node that uses the cluster; see `Members`. */
  join: Members['join']
  /**
   * Opens the cluster; call `release` of the result after use.
   * @throws KeyholderError if a setting is invalid
   */
  open(): Promise<OpenCluster>
}

/** The secret of a panel, which Node-RED keeps apart from its settings. */
export interface PanelCredentials extends EntryNote {
  userCode: string
}

/** A message to a flow node that belongs to a rehearsal, or starts or ends one. */
export interface RehearsalInput {
  node: Node
  message: NodeMessage & Record<string, unknown>
  /** Sends to the only output of the node. */
  send(messages: (NodeMessage & Record<string, unknown>)[]): void
}

/** The config node `keyholder-panel`. */
export interface PanelNode extends Node<PanelCredentials> {
  /** Settings as deployed, without the user code. */
  readonly deployed: RawSettings
  /** Nodes by id through which Node-RED sends the panel's errors to Catch nodes. */
  users: Record<string, Node>
  /** Registers a node that uses the panel; see `Members`. */
  join: Members['join']
  /** Returns the flow nodes that use the panel. */
  flowNodes(): Node[]
  /** Logs an error and sends it to the Catch nodes of the users, as soon as the flows have started. */
  report(error: KeyholderError): void
  /**
   * Returns the panel, created on first use.
   * @throws KeyholderError if a setting of the panel or its account is invalid
   */
  open(): Promise<Panel>
  /** Returns the panel if it is in use; undefined otherwise. Never rejects. */
  opened(): Promise<Panel | undefined>
  /**
   * Answers a message of a rehearsal, which the panel itself never gets.
   * @throws KeyholderError if no rehearsal of this panel runs, or it cannot be started
   */
  rehearse(input: RehearsalInput): Promise<void>
  /** Has the nodes that a rehearsal has left marked say how the panel really is. Never throws. */
  tellRealState(): void
}

interface ConfigNodes {
  'keyholder-account': AccountNode
  'keyholder-cluster': ClusterNode
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

/**
 * Returns the account or the panel that a flow node has selected.
 * @param id any untrusted value
 * @throws KeyholderError NOT_CONFIGURED if there is none
 */
export function selectedNode<T extends 'account' | 'panel'>(RED: NodeAPI, type: T, id: unknown) {
  const found = configNode(RED, `keyholder-${type}`, id)
  if (found === undefined) throw missingSetting(type, 'this node')
  return found
}

/** Returns true for a config node `keyholder-panel`. */
export function isPanelNode(node: Node): node is PanelNode {
  return node.type === 'keyholder-panel'
}

/**
 * Returns true for a message that belongs to a rehearsal: whatever its mark has become on its way through a form, a broker
 * or a node, only false and a missing one say that it is real.
 */
export function isRehearsed({ rehearsal }: Readonly<Record<string, unknown>>): boolean {
  return rehearsal !== undefined && rehearsal !== false
}

/** Returns the error for a message of a rehearsal that has ended, or of another panel. */
export function noRehearsal(): KeyholderError {
  const sentence =
    'Rehearsal: no rehearsal of this panel runs, so this message was not carried out. If it is not about a rehearsal, delete msg.rehearsal before this node.'
  return new KeyholderError('INVALID_TRANSITION', sentence)
}

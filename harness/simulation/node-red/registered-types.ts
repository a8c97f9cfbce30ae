import { copied, type NodeDefinition } from './flow-file.ts'
import { FlowNode, type NodeOwner } from './flow-node.ts'
import type { CredentialFields, StoredCredentials } from './stored-credentials.ts'

type NodeConstructor = new (definition: object) => FlowNode

/** The types of nodes, and how a node of a type begins. */
export class RegisteredTypes {
  readonly #constructors = new Map<string, NodeConstructor>()
  readonly #credentials: StoredCredentials

  constructor(credentials: StoredCredentials) {
    this.#credentials = credentials
  }

  /** Tells if there is such a type. */
  has(type: string): boolean {
    return this.#constructors.has(type)
  }

  /**
   * Registers a type; its nodes inherit the methods of all nodes.
   * @throws Error for a type that is registered already
   */
  register(type: string, create: NodeConstructor, options: { credentials?: CredentialFields } = {}): void {
    if (this.has(type)) throw new Error(`${type} already registered`)
    if (options.credentials) this.#credentials.register(type, options.credentials)
    let base = create.prototype as object
    while (base !== FlowNode.prototype && Object.getPrototypeOf(base) !== Object.prototype) {
      base = Object.getPrototypeOf(base)
    }
    if (base !== FlowNode.prototype) Object.setPrototypeOf(base, FlowNode.prototype)
    this.#constructors.set(type, create)
  }

  /**
   * Creates a node in a flow.
   * @throws what its constructor throws
   */
  create(definition: NodeDefinition, flow: NodeOwner): FlowNode | undefined {
    const Type = this.#constructors.get(definition.type)
    if (!Type) return undefined
    const own = copied(definition)
    delete own.credentials
    Object.defineProperty(own, '_flow', { value: flow, writable: true })
    return new Type(own)
  }

  /** Begins the life of a node, which its constructor asks for, with its credentials. */
  beginNode(node: FlowNode, definition: NodeDefinition): void {
    // The fields of an ordinary function are those of the class from which its prototype inherits.
    FlowNode.prototype.begin.call(node, definition)
    const stored = this.#credentials.get(node.id)
    if (stored) node.credentials = copied(stored)
    else if (this.#credentials.isRegistered(node.type)) node.credentials = {}
  }
}

import type { EventEmitter } from 'node:events'
import nodeRed from 'node-red'
import type { FlowNode, Message } from './flow-node.ts'

const { cloneMessage } = nodeRed.util

/** A Catch, Status or Complete node, which hears of the nodes in its scope. */
interface Listening extends FlowNode {
  scope?: readonly string[] | string | null
  uncaught?: boolean
}

/** The number of times that an error of a node for the same message comes back to it before it only stands in the log. */
const maxErrorCount = 10

/** The Catch, Status and Complete nodes of a tab, and what they are told. */
export class ListeningNodes {
  readonly #events: EventEmitter
  readonly #isGlobal: boolean
  #catchNodes: Listening[] = []
  #statusNodes: Listening[] = []
  #completeNodes: Listening[] = []

  /** @param isGlobal true for the config nodes outside of tabs: what they report, their users report */
  constructor(events: EventEmitter, isGlobal: boolean) {
    this.#events = events
    this.#isGlobal = isGlobal
  }

  /** Looks for listening nodes among those that run now. */
  replace(nodes: readonly Listening[]): void {
    const ofType = (wanted: string) => nodes.filter(({ type }) => type === wanted)
    // Those with a scope come first.
    this.#catchNodes = ofType('catch').sort((a, b) => Number(Boolean(b.scope)) - Number(Boolean(a.scope)))
    this.#statusNodes = ofType('status')
    this.#completeNodes = ofType('complete')
  }

  /** @param reporter the user of a config node that reports its status; a node itself by default */
  handleStatus(node: FlowNode, status: Message, reporter?: FlowNode): void {
    if (reporter === undefined) {
      if (Object.hasOwn(status, 'text') && typeof status.text !== 'string') status.text = String(status.text)
      this.#events.emit('node-status', { id: node.id, status })
    }
    const users = this.#usersOf(node)
    for (const user of users ?? []) user._flow.handleStatus(node, status, user)
    if (users) return
    for (const listening of this.#statusNodes.filter((one) => hears(one, reporter ?? node)))
      listening.receive({ status: { ...structuredClone(status), source: sourceOf(node) } })
  }

  /** @param reporter the user of a config node that reports its error; a node itself by default */
  handleError(node: FlowNode, error: unknown, message: Message, reporter = node): boolean {
    const { source } = (message.error || {}) as { source?: { id?: string; count: number } }
    const count = source?.id === node.id ? source.count + 1 : 1
    if (count === maxErrorCount) {
      node.warn('Message exceeded maximum number of catches')
      return false
    }
    const users = this.#usersOf(node)
    if (users) {
      const handled = users.map((user) => user._flow.handleError(node, error, message, user))
      return handled.includes(true)
    }
    const all = this.#catchNodes.filter((one) => hears(one, reporter))
    const others = all.filter(({ uncaught }) => !uncaught)
    for (const listening of others.length > 0 ? others : all)
      listening.receive(errorMessage(node, error, message, count))
    return all.length > 0
  }

  handleComplete(node: FlowNode, message: Message): void {
    for (const listening of this.#completeNodes) {
      if (!listening.scope?.includes(node.id)) continue
      listening.receive(Object.assign(clonedMessage(message), { complete: { source: sourceOf(node) } }))
    }
  }

  #usersOf({ users }: FlowNode): FlowNode[] | undefined {
    return this.#isGlobal && users ? Object.values(users) : undefined
  }
}

/** Returns a copy of a message, as each further node gets it. */
export function clonedMessage(message: Message): Message {
  return cloneMessage(message as never) as Message
}

function hears({ scope }: Listening, reporter: FlowNode): boolean {
  return !Array.isArray(scope) || scope.includes(reporter.id)
}

function sourceOf({ id, type, name }: FlowNode) {
  return { id, type, name }
}

function errorMessage(node: FlowNode, error: unknown, message: Message, count: number): Message {
  const copy = clonedMessage(message)
  if (Object.hasOwn(copy, 'error')) copy._error = copy.error
  const about: Message = { message: String(error), source: { ...sourceOf(node), count } }
  if (typeof error === 'object' && error !== null)
    for (const field of ['code', 'stack', 'cause'])
      if (Object.hasOwn(error, field)) about[field] = (error as Message)[field]
  return Object.assign(copy, { error: about })
}

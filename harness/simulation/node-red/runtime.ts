import type { EventEmitter } from 'node:events'
import type { NodeDefinition } from './flow-file.ts'
import type { FlowNode, NodeOwner } from './flow-node.ts'
import type { LogLine } from './log-line.ts'
import type { MessageHooks } from './message-hooks.ts'
import type { NodeContexts } from './node-contexts.ts'

/** The parts of a Node-RED that its flows share. */
export interface Runtime {
  readonly events: EventEmitter
  readonly hooks: MessageHooks
  readonly contexts: NodeContexts
  /** Milliseconds that a node has to close. */
  readonly closeTimeout: number
  /** Lets a piece of work happen in a later step. */
  queue(work: () => void): void
  /** Calls back after a time unless it is canceled; see `Clock`. */
  after(ms: number, callback: () => void): () => void
  /** Creates a node; returns undefined if its constructor throws. */
  createNode(definition: NodeDefinition, flow: NodeOwner): FlowNode | undefined
  /** Returns a running node of any tab. */
  getNode(id: string): FlowNode | null | undefined
  /** Returns an id for a message: the same ones in each run. */
  nextId(): string
  /** Returns the value of an environment variable. */
  environment(name: string): string | undefined
  log(line: LogLine): void
  /** Notes an error that a node reports, before it becomes a message. */
  noteError(id: string, error: unknown): void
}

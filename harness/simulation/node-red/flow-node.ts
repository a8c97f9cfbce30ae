import { EventEmitter } from 'node:events'
import type { NodeContext } from 'node-red'
import type { NodeDefinition } from './flow-file.ts'
import { type LogLine, logLevels } from './log-line.ts'
import type { MessageHooks } from './message-hooks.ts'
import type { NodeContexts } from './node-contexts.ts'

/** A message of a flow. */
export type Message = Record<string, unknown>

/** A message on its way from an output to a node, as the hooks get it. */
export interface SendEvent {
  msg: Message
  source: { id: string; node: FlowNode; port: number }
  destination: { id: string; node: FlowNode | null | undefined }
  /** True if the node gets a copy, because another one gets the message itself. */
  cloneMessage: boolean
}

/** The members of a flow that its nodes use. */
export interface NodeOwner {
  readonly path: string
  readonly hooks: MessageHooks
  readonly contexts: NodeContexts
  nextId(): string
  log(line: LogLine): void
  noteError(id: string, error: unknown): void
  send(events: SendEvent[]): void
  /** Returns true if a Catch node gets the error. */
  handleError(node: FlowNode, error: unknown, message: Message, reporter?: FlowNode): boolean
  handleStatus(node: FlowNode, status: Message, reporter?: FlowNode): void
  handleComplete(node: FlowNode, message: Message): void
}

type Send = (messages: unknown) => void
type Input = (message: Message, send: Send, done: (error?: unknown) => void) => void
type Close = (...parameters: unknown[]) => void
type Listener = (...parameters: never[]) => void

/**
 * The base of all nodes. The constructor of a type is an ordinary function, so `createNode` calls `begin` in place of a
 * constructor.
 */
export class FlowNode extends EventEmitter {
  declare id: string
  declare type: string
  declare z: string | undefined
  declare name?: string
  declare credentials?: Record<string, unknown>
  declare wires: string[][]
  /** The nodes that use a config node, by id, if it keeps them: its errors and statuses are theirs. */
  declare users?: Record<string, FlowNode>
  declare _flow: NodeOwner
  declare _inputs: Input[]
  declare _closings: Close[]
  declare _expectedDoneCount: number
  declare _context: NodeContext | undefined

  /** Begins the life of a node with its definition. */
  begin(definition: NodeDefinition & { _flow?: NodeOwner }): void {
    const { id, type, z, name, wires, _flow } = definition
    Object.assign(this, { id, type, z, _inputs: [], _closings: [], _expectedDoneCount: 0 })
    if (name) this.name = String(name)
    Object.defineProperty(this, '_flow', { value: _flow, writable: true })
    this.updateWires(wires)
  }

  updateWires(wires: string[][] = []): void {
    this.wires = wires
  }

  context(): NodeContext {
    this._context ??= this._flow.contexts.of(this.id, this.z)
    return this._context
  }

  override on(event: string, listener: Listener): this {
    if (event === 'close') this._closings.push(listener as Close)
    else if (event !== 'input') return super.on(event, listener as (...parameters: unknown[]) => void)
    else {
      if (listener.length === 3) this._expectedDoneCount += 1
      this._inputs.push(listener as unknown as Input)
    }
    return this
  }

  override removeListener(event: string, listener: Listener): this {
    if (event === 'input') {
      if (listener.length === 3) this._expectedDoneCount -= 1
      this._inputs = this._inputs.filter((one) => one !== (listener as unknown))
    } else if (event === 'close') {
      this._closings = this._closings.filter((one) => one !== (listener as unknown))
    } else {
      super.removeListener(event, listener as (...parameters: unknown[]) => void)
    }
    return this
  }

  override removeAllListeners(event?: string): this {
    if (event === 'input') this._inputs = []
    else if (event === 'close') this._closings = []
    else super.removeAllListeners(event)
    return this
  }

  override emit(event: string, ...parameters: unknown[]): boolean {
    if (event !== 'input') return super.emit(event, ...parameters)
    takeInput(this, parameters[0] as Message)
    return true
  }

  receive(message: Message = {}): void {
    message._msgid ||= this._flow.nextId()
    this.emit('input', message)
  }

  /** Calls all that the node does at its end; resolves when the last of it is done. */
  async close(removed: boolean): Promise<void> {
    const ends = this._closings.flatMap((closing) => callClosing(this, closing, removed) ?? [])
    if (ends.length > 0) await Promise.all(ends)
    this.removeAllListeners('input')
    if (this._context) this._flow.contexts.delete(this.id, this.z)
  }

  /** Sends a message, or for each output a message or a list of messages. The first of all nodes gets the message itself. */
  send(messages: unknown): void {
    if (messages === null || messages === undefined || this.wires.flat().length === 0) return
    const refuse = (sent: unknown) => this.error(`Node tried to send a message of type ${typeof sent}`)
    if (typeof messages !== 'object') {
      refuse(messages)
      return
    }
    const outputs = Array.isArray(messages) ? messages : [messages]
    const events: SendEvent[] = []
    for (const [port, wires] of this.wires.entries()) {
      const ofPort = outputs[port] ?? []
      for (const id of wires) {
        for (const msg of Array.isArray(ofPort) ? ofPort : [ofPort]) {
          if (msg === null || msg === undefined) continue
          if (typeof msg !== 'object') refuse(msg)
          else
            events.push({
              msg,
              source: { id: this.id, node: this, port },
              destination: { id, node: undefined },
              cloneMessage: events.length > 0,
            })
        }
      }
    }
    const id = events.map(({ msg }) => msg._msgid).find(Boolean) ?? this._flow.nextId()
    for (const { msg } of events) msg._msgid ||= id
    this._flow.send(events)
  }

  status(status: unknown): void {
    const isText = ['string', 'number', 'boolean'].includes(typeof status)
    this._flow.handleStatus(this, isText ? { text: String(status) } : (status as Message))
  }

  /** Reports an error: to Catch nodes if it names a message, else to the log. */
  error(error: unknown, message?: unknown): void {
    this._flow.noteError(this.id, error)
    const told = typeof error === 'boolean' ? error : error || ''
    const isOfMessage = typeof message === 'object' && message !== null
    if (isOfMessage && this._flow.handleError(this, told, message as Message)) return
    write(this, logLevels.ERROR, told)
  }

  warn(text: unknown): void {
    write(this, logLevels.WARN, text)
  }

  log(text: unknown): void {
    write(this, logLevels.INFO, text)
  }

  debug(text: unknown): void {
    write(this, logLevels.DEBUG, text)
  }

  trace(text: unknown): void {
    write(this, logLevels.TRACE, text)
  }

  /** Without parameters, tells that nobody reads metrics. */
  metric(): boolean {
    return false
  }
}

function takeInput(node: FlowNode, message: Message): void {
  const { hooks } = node._flow
  const event = { msg: message, destination: { id: node.id, node } }
  hooks.trigger('onReceive', event, (result) => {
    if (result) return node.error(result)
    if (result === false) return
    callInputs(node, message)
    hooks.trigger('postReceive', event, (failure) => {
      if (failure) node.error(failure)
    })
  })
}

function callInputs(node: FlowNode, message: Message): void {
  const inputs = [...node._inputs]
  let calls = 0
  const done = (error?: unknown) => {
    calls += 1
    if (inputs.length <= 1 || calls === node._expectedDoneCount) complete(node, message, error)
  }
  for (const input of inputs) {
    try {
      input.call(node, message, (messages) => node.send(messages), done)
    } catch (thrown) {
      node.error(thrown, message)
    }
  }
}

function complete(node: FlowNode, message: Message, error: unknown): void {
  const event = { msg: message, error, node: { id: node.id, node } }
  node._flow.hooks.trigger('onComplete', event, (failure) => {
    if (failure) node.error(failure)
  })
  if (error) node.error(error, message)
  else node._flow.handleComplete(node, message)
}

/** Returns when the end is done, if it takes time. As in Node-RED, what a node throws at its end is not told. */
function callClosing(node: FlowNode, closing: Close, removed: boolean): Promise<void> | undefined {
  const call = (...parameters: unknown[]): boolean => {
    try {
      closing.call(node, ...parameters)
      return true
    } catch {
      return false
    }
  }
  if (closing.length === 0) {
    call()
    return undefined
  }
  return new Promise((resolve) => {
    const done = () => resolve()
    if (!(closing.length === 2 ? call(removed, done) : call(done))) resolve()
  })
}

function write(node: FlowNode, level: number, msg: unknown): void {
  const { id, type, z, name } = node
  node._flow.log({ level, id, type, msg, ...(z && { z }), ...(name && { name }), path: node._flow.path })
}

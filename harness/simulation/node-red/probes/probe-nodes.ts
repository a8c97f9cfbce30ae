import { EventEmitter } from 'node:events'
import type { Node, NodeAPI, NodeDef, NodeMessage, NodeMessageInFlow } from 'node-red'
import { type LogLine, logLevels } from '../log-line.ts'

/** The fields of a probe. */
interface ProbeDef extends NodeDef {
  /** The work of the node at its end. */
  atEnd?: 'nothing' | 'in time' | 'later' | 'never' | 'throw' | 'send'
  /** True if the constructor throws. */
  isBroken?: boolean
  /** The ids of the nodes that it looks for while it starts. */
  sees?: readonly string[]
  /** The id of a config node. */
  config?: string
  /** True for a config node that keeps its users. */
  keepsUsers?: boolean
}

type Probe = Node<{ secret: unknown }> & { users?: Record<string, Node> }
type Done = (error?: Error) => void
type Send = (messages: unknown) => void
interface Input {
  message: NodeMessageInFlow & Record<string, unknown>
  send: Send
  done: Done
}

const events = [
  'flows:starting',
  'flows:started',
  'flows:stopping',
  'flows:stopped',
  'nodes-started',
] as const
const hooks = ['onSend', 'preRoute', 'preDeliver', 'postDeliver', 'onReceive', 'postReceive', 'onComplete']

/** Nodes that do what a message asks them for, and a trace of all that they and Node-RED do. */
export class ProbeNodes {
  readonly trace: string[] = []
  readonly #objects = new WeakMap<object, number>()
  readonly #messageIds: unknown[] = []
  #objectCount = 0
  #end = () => {}

  /** Registers the types `probe` and `probe-config`, and begins to listen to Node-RED. */
  readonly register = (RED: NodeAPI): void => {
    const probes = this
    for (const type of ['probe', 'probe-config'])
      RED.nodes.registerType(
        type,
        function (this: Probe, def: ProbeDef) {
          RED.nodes.createNode(this, def)
          probes.#begin(RED, this, def)
        },
        { credentials: { secret: { type: 'password' } } },
      )
    this.#listen(RED)
  }

  /** Ends listening to Node-RED. */
  end(): void {
    this.#end()
  }

  #note(...parts: unknown[]): void {
    this.trace.push(parts.map((part) => (typeof part === 'string' ? part : this.#shown(part))).join(' '))
  }

  #begin(RED: NodeAPI, node: Probe, def: ProbeDef): void {
    if (def.isBroken) throw new Error(`The probe ${def.id} is broken`)
    this.#note('start', node.id, { name: node.name, z: node.z, credentials: node.credentials })
    for (const id of [...(def.sees ?? []), ...(def.config ? [def.config] : [])]) {
      const seen = RED.nodes.getNode(id) as Probe | null | undefined
      this.#note(node.id, 'sees', id, seen ? 'a node' : String(seen))
      // A config node that is a user of another one would report to itself without end.
      if (seen?.users && node.z) seen.users[node.id] = node
    }
    if (def.keepsUsers) node.users = {}
    node.on('input', (message, send, done) => {
      const input = { message: message as Input['message'], send: send as Send, done }
      this.#note(node.id, 'gets', message)
      this.#act(RED, node, input)
    })
    this.#addEnd(node, def)
  }

  #addEnd(node: Probe, { atEnd = 'in time' }: ProbeDef): void {
    const note = (...parts: unknown[]) => this.#note('close', node.id, ...parts)
    if (atEnd === 'nothing') return
    if (atEnd === 'in time')
      node.on('close', (removed: boolean, done: () => void) => {
        note(removed)
        done()
      })
    if (atEnd === 'later')
      node.on('close', (done: () => void) => {
        note('later')
        setImmediate(() =>
          setImmediate(() => {
            note('at last')
            done()
          }),
        )
      })
    if (atEnd === 'never') node.on('close', (_done: () => void) => note('never'))
    if (atEnd === 'throw')
      node.on('close', () => {
        note('throws')
        throw new Error('failed at the end')
      })
    if (atEnd === 'send')
      node.on('close', () => {
        note('sends')
        node.send({ payload: 'last' })
      })
  }

  #act(RED: NodeAPI, node: Probe, { message, send, done }: Input): void {
    const { ask } = message
    switch (ask) {
      case 'outputs':
        send([[{ payload: 1 }, null, { payload: 2 }], null, { payload: 3, _msgid: 'mine' }])
        break
      case 'node.send':
        node.send([message, message])
        break
      case 'nothing':
        send(null)
        send([])
        break
      case 'text':
        send('text')
        break
      case 'fail':
        done(Object.assign(new Error('failed', { cause: 'a cause' }), { code: 'CODE' }))
        return
      case 'throw':
        throw new Error('thrown')
      case 'error':
        node.error('an error', message)
        break
      case 'log':
        node.error('without a message')
        node.error(undefined)
        node.warn({ text: 'a warning' })
        node.log('a line')
        break
      case 'status':
        for (const status of ['text', 7, {}, { fill: 'red', shape: 'dot', text: 8 }])
          node.status(status as never)
        break
      case 'context':
        this.#count(node)
        break
      case 'credentials':
        void RED.nodes.addCredentials(node.id, { secret: 'added' })
        this.#note(node.id, 'has', { own: node.credentials, stored: RED.nodes.getCredentials(node.id) })
        break
      case 'nodes':
        RED.nodes.eachNode((def) => this.#note('each', def))
        break
      case 'receive':
        RED.nodes.getNode('b').receive({ payload: 'received' } as NodeMessage)
        this.#note(node.id, 'goes on')
        break
      case 'reply twice':
        done()
        break
      case 'change':
        send(message)
        Object.assign(message, { payload: 'changed after it was sent' })
        break
      case 'env':
        this.#note(RED.util.evaluateNodeProperty('NR_FLOW_NAME', 'env', node, message))
        break
      case 'stop here':
        break
      case 'users error':
        RED.nodes.getNode('c1').error('an error of a config node', { payload: 1 } as never)
        RED.nodes.getNode('c1').status({ text: 'a status of a config node' })
        RED.nodes.getNode('c2').error('an error of a config node without users', { payload: 1 } as never)
        break
      default:
        send(message)
    }
    done()
  }

  #count(node: Probe): void {
    const context = node.context()
    for (const [scope, data] of Object.entries({
      node: context,
      flow: context.flow,
      global: context.global,
    })) {
      const count = Number(data.get('count') ?? 0) + 1
      data.set('count', count)
      data.set('deep.value', { count }, (error) => this.#note('set', scope, String(error)))
      data.get('deep.value.count', (error, value) => this.#note('got', scope, String(error), value))
      this.#note(node.id, scope, count, data.keys(), data.get(['count', 'none']))
    }
  }

  #listen(RED: NodeAPI): void {
    const listeners = new Map<string, (event: never) => void>()
    for (const name of events)
      listeners.set(name, ({ type, diff }: { type?: string; diff?: object } = {}) =>
        this.#note(name, { type, diff: diff && { ...diff, globalConfigChanged: undefined } }),
      )
    listeners.set('node-status', ({ id, status }: { id: string; status?: object }) =>
      this.#note('node-status', id, { status }),
    )
    listeners.set('runtime-event', ({ id, payload }: { id: string; payload?: { revision?: unknown } }) =>
      this.#note('runtime-event', id, { ...payload, revision: undefined }),
    )
    for (const [name, listener] of listeners) RED.events.on(name, listener as never)
    for (const name of hooks)
      RED.hooks.add(`${name}.probes` as 'onSend', ((event: unknown) => this.#noteHook(name, event)) as never)
    const log = new EventEmitter().on('log', ({ level, id, type, name, z, msg }: LogLine) => {
      if (level <= logLevels.INFO && id) this.#note('log', { level, id, type, name, z, msg: String(msg) })
    })
    RED.log.addHandler(log as never)
    this.#end = () => {
      for (const [name, listener] of listeners) RED.events.off(name, listener as never)
      RED.hooks.remove('*.probes')
      RED.log.removeHandler(log as never)
    }
  }

  #noteHook(name: string, event: unknown): boolean | undefined {
    this.#note(name, event)
    const { msg } = event as { msg?: { haltAt?: string; failAt?: string } }
    if (msg?.failAt === name) throw new Error(`A hook fails at ${name}`)
    return msg?.haltAt === name ? false : undefined
  }

  /** Returns a text of a value in which each message has a number, and each message ID too. */
  #shown(value: unknown): string {
    return String(
      JSON.stringify(value, (field, one) => {
        if (field === 'node') return one?.id
        if (field === 'stack') return typeof one
        if (field === '_msgid') return this.#messageId(one)
        if (one instanceof Error) return String(one)
        if (field !== 'msg' || typeof one !== 'object') return one
        return { object: this.#objectId(one), ...one }
      }),
    )
  }

  #messageId(id: unknown): string {
    if (!this.#messageIds.includes(id)) this.#messageIds.push(id)
    return `id ${this.#messageIds.indexOf(id)}`
  }

  #objectId(object: object): number {
    const known = this.#objects.get(object)
    if (known !== undefined) return known
    this.#objectCount += 1
    this.#objects.set(object, this.#objectCount)
    return this.#objectCount
  }
}

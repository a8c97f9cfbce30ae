import { setMaxListeners } from 'node:events'
import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { Lazy } from '../../src/concurrency.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { asKeyholderError, type KeyholderError } from '../../src/service/error.ts'
import { refuseUnsetVariables } from '../../src/settings.ts'
import { isRehearsed, noRehearsal, selectedNode } from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { beforeEnd, whenFlowsStarted } from '../shared/node-lifecycle.ts'
import { NodeStatus, type StatusText } from '../shared/node-status.ts'
import { type Bindable, bindToConfig } from './config-binding.ts'
import { tooManyWaiting, WaitingInputs } from './waiting-inputs.ts'

/** A message of a flow with any properties. */
export type FlowMessage = NodeMessage & Record<string, unknown>

/** The part of a flow node that differs by its type. */
export interface Behavior<S = Panel> {
  /** True if an incoming message is not always a request, so that the status does not show that one is running. */
  hasQuietInput?: boolean
  /**
   * Subscribes to the panel; returns a function that unsubscribes.
   * @param report sends an error that prevents the subscription to the log and the Catch nodes, once these are there
   */
  subscribe(panel: S, status: NodeStatus, report: (error: Error) => void): () => void
  /**
   * Answers an incoming message.
   * @param send sends to the only output of the node
   * @throws KeyholderError which is sent to the Catch nodes
   */
  onInput(
    panel: S,
    message: FlowMessage,
    send: (messages: FlowMessage[]) => void,
    signal: AbortSignal,
    status: NodeStatus,
  ): Promise<void>
  /**
   * Tells if an incoming message is a disarm, which is taken however many messages wait. Absent for a node that sends none.
   * @throws KeyholderError if the message is not understood
   */
  isDisarm?(message: FlowMessage): Promise<boolean>
  /**
   * Called before the node ends, unless a deploy replaces it. Only what is sent with `sendAtOnce` arrives for certain.
   */
  end?(): void
  /** Returns the status text for an incoming message that failed; without it, the status shows the usual one. */
  failureText?(panel: S, error: KeyholderError): StatusText
}

/** Rules for the incoming messages of a node, also while its panel is not open. */
export interface InputRules {
  /** Tells if a message is a request, so that it is an error if the panel cannot be opened. */
  isRequest(message: Readonly<Record<string, unknown>>): boolean
  /** Returns a copy of a message for the behavior, and takes from the message what no Catch node may show. */
  separate(message: FlowMessage): FlowMessage
}

/** The rules of most nodes: every message is a request, and nothing in it is secret. */
const openInput: InputRules = { isRequest: () => true, separate: (message) => message }

/** The settings of a node that uses a panel. */
export interface AttachedDef extends NodeDef {
  panel?: string
}

/** A module with the behavior of one type of flow node. */
export interface BehaviorModule<D extends AttachedDef, S = Panel> {
  behavior(RED: NodeAPI, node: Node, def: D): Behavior<S>
}

/** A flow node that is bound to a panel, as a rehearsal uses it. */
export interface BoundNode {
  status: NodeStatus
  /** Returns a new behavior, which sends to `node`. */
  behaviorOf(node: Node): Promise<Behavior>
  /**
   * Has the node read its panel and answer as to an empty message.
   * @throws KeyholderError
   */
  ask(reply: (messages: FlowMessage[]) => void): Promise<void>
  /** Unsubscribes from the panel, because somebody else takes the place of the node. Returns a function that ends this. */
  pause(substitute: Substitute): () => void
}

/** The work that takes the place of a node. */
interface Substitute {
  /** Called before a request to the node, which then is in its place again. */
  end(): void
  /** Takes a message that is no request. */
  take(message: FlowMessage): Promise<void>
}

/** The flow nodes that are bound to a panel. */
export const boundNodes = new WeakMap<Node, BoundNode>()

/** The types of nodes to which `msg.rehearse` is a request. */
const rehearsing: readonly string[] = ['keyholder-command', 'keyholder-incident']

/** An incoming message, and the functions of Node-RED that send what it causes, and end it. */
interface Input {
  request: FlowMessage
  send(messages: FlowMessage[]): void
  end(error?: Error): void
}

/** An open panel, or what takes its place, and the behavior that uses it. */
interface Opened<S> {
  panel: S
  behavior: Behavior<S>
  /** Returns false after the node or the panel was closed. */
  isCurrent(): boolean
}

/**
 * Binds a flow node to its panel: subscribes until the node is closed, answers its input, shows its status.
 *
 * If the node is closed before the panel is open, it does not subscribe. If the panel is closed and the node is
 * not, it opens the new panel when the deploy is done.
 * @param load imports the behavior; a Node-RED that has no such node starts without it
 */
export function bindToPanel<D extends AttachedDef>(
  RED: NodeAPI,
  node: Node,
  def: D,
  load: () => Promise<BehaviorModule<D>>,
  rules?: InputRules,
): void {
  bindTo(RED, node, def, load, () => selectedNode(RED, 'panel', def.panel), rules)
}

/**
 * Does the same with another config node.
 * @param find returns the config node; throws KeyholderError if none is selected
 */
export function bindTo<D extends AttachedDef, S extends Pick<Panel, 'account' | 'online'>>(
  RED: NodeAPI,
  node: Node,
  def: D,
  load: () => Promise<BehaviorModule<D, S>>,
  find: () => Bindable<S>,
  rules: InputRules = openInput,
): void {
  const status = new NodeStatus(RED, node)
  const life = new AbortController()
  // Each waiting input adds an abort listener, and there may be many.
  setMaxListeners(0, life.signal)
  const whenStarted = whenFlowsStarted(RED, node)
  const report = (error: Error) => whenStarted(() => node.error(error, {}))
  const showError = (thrown: unknown) => whenStarted(() => status.showError(asKeyholderError(thrown)))

  const lazyBehavior = () =>
    new Lazy(async () => {
      refuseUnsetVariables(def)
      return (await load()).behavior(RED, node, def)
    })
  let loaded = lazyBehavior()
  let stop: (() => void) | undefined
  let ignoreEnd = () => {}
  let substitute: Substitute | undefined

  const listen = ({ panel, behavior, isCurrent }: Opened<S>): void => {
    if (!isCurrent() || stop !== undefined || substitute !== undefined) return
    stop = behavior.subscribe(panel, status, report)
    if (behavior.end !== undefined) ignoreEnd = beforeEnd(RED, node, () => behavior.end?.())
  }
  const unsubscribe = () => {
    ignoreEnd()
    stop?.()
    stop = undefined
  }
  const config = bindToConfig(RED, node, find, () => {
    unsubscribe()
    loaded = lazyBehavior()
    status.showIdle()
    return subscribe
  })
  const open = async (): Promise<Opened<S>> => {
    refuseUnsetVariables(def)
    const opening = loaded
    const [panel, behavior] = await Promise.all([config.open(), opening.get()])
    return { panel, behavior, isCurrent: () => opening === loaded && !life.signal.aborted }
  }
  // The panel node reports this error for all nodes; here only the status shows it.
  const subscribe = () => guard(node, async () => listen(await open()), showError)

  boundNodes.set(node, {
    status,
    // What is for a query alone does for a panel too.
    behaviorOf: async (facade) => (await load()).behavior(RED, facade, def) as unknown as Behavior,
    ask: async (reply) => {
      const { panel, behavior } = await open()
      await behavior.onInput(panel, {} as FlowMessage, reply, life.signal, status)
    },
    pause: (other) => {
      substitute = other
      stop?.()
      stop = undefined
      return () => {
        substitute = undefined
        subscribe()
      }
    },
  })

  // No other code reports a wrong setting of this node, or that this import failed, e.g. while the package is being replaced.
  guard(node, async () => void (await loaded.get()), report)
  subscribe()

  const bound: Answering<S> = { node, find, open, listen, status, rules, signal: life.signal }
  const answer = (input: Input) => {
    const { request } = input
    if (isRehearsed(request) || (request.rehearse !== undefined && rehearsing.includes(node.type)))
      return answerRehearsed(bound, input)
    const other = substitute
    if (other !== undefined && !rules.isRequest(request)) return passOn(node, other, input)
    other?.end()
    answerReal(bound, input)
  }
  const waiting = new WaitingInputs()
  node.on('input', (message, send, done) => {
    // Catch nodes get the message of an input that failed, and show it.
    const request = rules.separate(message as FlowMessage)
    const leave = waiting.enter()
    const end: Input['end'] = (error) => {
      leave()
      done(error)
    }
    const input: Input = { request, send: (messages) => send([messages]), end }
    if (!waiting.areTooMany) return answer(input)
    const answerDisarm = async () => {
      if (!(await (await loaded.get()).isDisarm?.(request))) {
        await waiting.refusalTurn()
        throw tooManyWaiting()
      }
      answer(input)
    }
    const isQuiet = () => life.signal.aborted || !rules.isRequest(request)
    guard(node, answerDisarm, (thrown) => end(isQuiet() ? undefined : asKeyholderError(thrown)))
  })

  node.on('close', (done: () => void) => {
    const close = () => {
      life.abort()
      config.close()
      unsubscribe()
      status.stop()
      done()
    }
    guard(node, close, () => done())
  })
}

/** The parts of a bound node that answer a message. */
interface Answering<S> {
  node: Node
  find(): Bindable<S>
  open(): Promise<Opened<S>>
  listen(opened: Opened<S>): void
  status: NodeStatus
  rules: InputRules
  /** Aborted when the node is closed. */
  signal: AbortSignal
}

/** Has the rehearsal of the panel answer a message that belongs to it, or starts it. */
function answerRehearsed<S>({ node, find, signal }: Answering<S>, { request, send, end }: Input): void {
  const answer = async () => {
    const panelNode = find()
    if (panelNode.rehearse === undefined) throw noRehearsal()
    await panelNode.rehearse({ node, message: request, send })
    end()
  }
  guard(node, answer, (thrown) => end(signal.aborted ? undefined : asKeyholderError(thrown)))
}

/** Passes a message on to what takes the place of the node. */
function passOn(node: Node, substitute: Substitute, { request, end }: Input): void {
  const take = async () => {
    await substitute.take(request)
    end()
  }
  guard(node, take, (thrown) => end(asKeyholderError(thrown)))
}

/** Has the behavior answer a message, and shows an error. */
function answerReal<S extends Pick<Panel, 'account' | 'online'>>(
  { node, open, listen, status, rules, signal }: Answering<S>,
  { request, send, end }: Input,
): void {
  let opened: Opened<S> | undefined
  const answer = async () => {
    const current = await open()
    opened = current
    // Subscribes now if the panel could not be opened at the start.
    guard(node, () => listen(current))
    const { panel, behavior } = current
    if (!behavior.hasQuietInput) status.showRunning()
    await behavior.onInput(panel, request, send, signal, status)
    end()
  }
  guard(node, answer, (thrown) => {
    // The node is closed; that is not an error.
    if (signal.aborted) return end()
    const error = asKeyholderError(thrown)
    if (opened === undefined) status.showError(error)
    else {
      const { panel, behavior } = opened
      const failing = behavior.failureText?.(panel, error)
      status.showCondition(panel, { state: 'failing', error }, '', { failing })
    }
    end(opened === undefined && !rules.isRequest(request) ? undefined : error)
  })
}

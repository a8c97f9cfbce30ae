import { setMaxListeners } from 'node:events'
import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { Lazy } from '../../src/concurrency.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { asKeyholderError, type KeyholderError } from '../../src/service/error.ts'
import { missingSetting, refuseUnsetVariables } from '../../src/settings.ts'
import { configNode, isRehearsed, type Members, noRehearsal, type PanelNode } from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { beforeEnd, flowsStarted, whenFlowsStarted } from '../shared/node-lifecycle.ts'
import { NodeStatus, type StatusText } from '../shared/node-status.ts'
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

/** A config node that a flow node can be bound to. */
export interface Bindable<S> {
  join: Members['join']
  /** @throws KeyholderError if a setting is invalid */
  open(): Promise<S>
  /** Absent where there are no rehearsals. */
  rehearse?: PanelNode['rehearse']
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

/** Sends what an incoming message causes, and ends it; Node-RED passes both with the message. */
type InputSend = (messages: FlowMessage[][]) => void
type InputEnd = (error?: Error) => void

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
  const find = () => {
    const panelNode = configNode(RED, 'keyholder-panel', def.panel)
    if (panelNode === undefined) throw missingSetting('panel', 'this node')
    return panelNode
  }
  bindTo(RED, node, def, load, find, rules)
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
  let leave = () => {}
  let stop: (() => void) | undefined
  let substitute: Substitute | undefined
  let ignoreEnd = () => {}
  const lazyBehavior = () =>
    new Lazy(async () => {
      refuseUnsetVariables(def)
      return (await load()).behavior(RED, node, def)
    })
  let loaded = lazyBehavior()
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
        guard(node, async () => listen(await open()), showError)
      }
    },
  })

  const whenStarted = whenFlowsStarted(RED, node)

  const open = async (): Promise<Opened<S>> => {
    refuseUnsetVariables(def)
    const panelNode = find()
    leave = panelNode.join(node, reopen)
    const opening = loaded
    const [panel, behavior] = await Promise.all([panelNode.open(), opening.get()])
    return { panel, behavior, isCurrent: () => opening === loaded && !life.signal.aborted }
  }
  const listen = ({ panel, behavior, isCurrent }: Opened<S>): void => {
    if (!isCurrent() || stop !== undefined || substitute !== undefined) return
    stop = behavior.subscribe(panel, status, report)
    if (behavior.end !== undefined) ignoreEnd = beforeEnd(RED, node, () => behavior.end?.())
  }
  const unsubscribe = () => {
    leave()
    ignoreEnd()
    stop?.()
    stop = undefined
  }
  const report = (error: Error) => whenStarted(() => node.error(error, {}))
  const showError = (thrown: unknown) => whenStarted(() => status.showError(asKeyholderError(thrown)))
  /** Begins anew, as after a restart of this node, when a deploy restarts the panel but not this node. */
  const reopen = () => {
    unsubscribe()
    loaded = lazyBehavior()
    status.showIdle()
    const openAfterStart = async () => {
      await flowsStarted(RED)
      if (!life.signal.aborted) listen(await open())
    }
    guard(node, openAfterStart, showError)
  }

  guard(
    node,
    // No other code reports a wrong setting of this node, or that this import failed, e.g. while the package is
    // being replaced.
    async () => void (await loaded.get()),
    report,
  )
  guard(
    node,
    async () => listen(await open()),
    // The panel node reports this error for all nodes; here only the status shows it.
    showError,
  )

  const waiting = new WaitingInputs()
  node.on('input', (message, send, done) => {
    // Catch nodes get the message of an input that failed, and show it.
    const request = rules.separate(message as FlowMessage)
    const leave = waiting.enter()
    const end: InputEnd = (error) => {
      leave()
      done(error)
    }
    if (!waiting.areTooMany) return answer(request, send, end)
    const answerDisarm = async () => {
      if (!(await (await loaded.get()).isDisarm?.(request))) {
        await waiting.refusalTurn()
        throw tooManyWaiting()
      }
      answer(request, send, end)
    }
    const isQuiet = () => life.signal.aborted || !rules.isRequest(request)
    guard(node, answerDisarm, (thrown) => end(isQuiet() ? undefined : asKeyholderError(thrown)))
  })

  const answer = (request: FlowMessage, send: InputSend, done: InputEnd): void => {
    let opened: Opened<S> | undefined
    const { rehearse } = request
    if (isRehearsed(request) || (rehearse !== undefined && rehearsing.includes(node.type))) {
      const answerRehearsed = async () => {
        const panelNode = find()
        if (panelNode.rehearse === undefined) throw noRehearsal()
        await panelNode.rehearse({ node, message: request, send: (messages) => send([messages]) })
        done()
      }
      guard(node, answerRehearsed, (thrown) =>
        done(life.signal.aborted ? undefined : asKeyholderError(thrown)),
      )
      return
    }
    const other = substitute
    if (other !== undefined) {
      if (!rules.isRequest(request)) {
        const take = async () => {
          await other.take(request)
          done()
        }
        guard(node, take, (thrown) => done(asKeyholderError(thrown)))
        return
      }
      other.end()
    }
    guard(
      node,
      async () => {
        const current = await open()
        opened = current
        // Subscribes now if the panel could not be opened at the start.
        guard(node, () => listen(current))
        if (!current.behavior.hasQuietInput) status.showRunning()
        await current.behavior.onInput(
          current.panel,
          request,
          (messages) => send([messages]),
          life.signal,
          status,
        )
        done()
      },
      (thrown) => {
        // The node is closed; that is not an error.
        if (life.signal.aborted) return done()
        const error = asKeyholderError(thrown)
        if (opened === undefined) status.showError(error)
        else {
          const { panel, behavior } = opened
          const failing = behavior.failureText?.(panel, error)
          status.showCondition(panel, { state: 'failing', error }, '', { failing })
        }
        if (opened === undefined && !rules.isRequest(request)) done()
        else done(error)
      },
    )
  }

  node.on('close', (done: () => void) => {
    const close = () => {
      life.abort()
      unsubscribe()
      status.stop()
      done()
    }
    guard(node, close, () => done())
  })
}

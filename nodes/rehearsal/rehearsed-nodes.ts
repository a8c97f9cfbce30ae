import type { Node, NodeAPI } from 'node-red'
import type { Panel } from '../../src/panel/panel.ts'
import { alarmKindOf } from '../../src/service/catalogue/alarm-kind.ts'
import { type Behavior, type BoundNode, boundNodes, type FlowMessage } from '../binding/panel-binding.ts'
import { noRehearsal, type PanelNode, type RehearsalInput } from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { beforeEnd } from '../shared/node-lifecycle.ts'
import { NodeStatus, phrase } from '../shared/node-status.ts'
import { facadeOf, marked, markedError } from './facade.ts'

/** A flow node that takes part. */
interface RehearsedNode {
  behavior: Behavior
  status: NodeStatus
  stop(): void
}

/** The surroundings of the nodes of a rehearsal. */
interface RehearsedNodesOptions {
  /** The word for a rehearsal, in the language of the account. */
  word: string
  /** Ends with the rehearsal. */
  signal: AbortSignal
  /** Called before a node sends a marked message; the message is not sent if it throws. */
  onMark(node: Node, message: FlowMessage): void
  /** Called before a real request to a node whose place was taken. */
  onRequest(): void
}

/** The nodes of a panel that take part in a rehearsal: each has a second behavior, for the simulated panel. */
export class RehearsedNodes {
  /** The number of marked messages that were sent. */
  sent = 0
  readonly #RED: NodeAPI
  readonly #panelNode: PanelNode
  readonly #options: RehearsedNodesOptions
  readonly #nodes = new Map<Node, RehearsedNode>()
  /** The latest alarm that each node has told. */
  readonly #alarms = new Map<Node, FlowMessage>()

  constructor(RED: NodeAPI, panelNode: PanelNode, options: RehearsedNodesOptions) {
    this.#RED = RED
    this.#panelNode = panelNode
    this.#options = options
  }

  /** Gives each of the nodes a second behavior. */
  async attach(nodes: readonly Node[], panel: Panel): Promise<void> {
    const { signal, word } = this.#options
    for (const node of nodes) {
      const bound = boundNodes.get(node)
      if (bound === undefined) continue
      const facade = facadeOf(node, {
        word,
        signal,
        onSend: (sender, message) => this.#note(sender, message),
      })
      const behavior = await bound.behaviorOf(facade)
      signal.throwIfAborted()
      const status = new NodeStatus(this.#RED, facade, phrase('panel.rehearsal.word'))
      const uncover = bound.status.cover()
      // Both would publish on the same topics, which the broker keeps.
      const isAlone = node.type === 'keyholder-home-assistant'
      const resume = isAlone ? bound.pause(this.#substitute(behavior, panel, status)) : () => {}
      const ignoreEnd = isAlone ? beforeEnd(this.#RED, node, () => behavior.end?.()) : () => {}
      const unsubscribe = behavior.subscribe(panel, status, (error) => facade.error(error, {}))
      const stop = () => {
        unsubscribe()
        ignoreEnd()
        status.stop()
        uncover()
        resume()
      }
      this.#nodes.set(node, { behavior, status, stop })
    }
  }

  /**
   * Answers a marked message as the node would answer it.
   * @throws KeyholderError
   */
  async answer(panel: Panel, { node, message, send }: RehearsalInput): Promise<void> {
    const { signal, word } = this.#options
    const own = this.#nodes.get(node)
    if (own === undefined) throw noRehearsal()
    const { behavior, status } = own
    const reply = (messages: FlowMessage[]) => {
      if (signal.aborted) return
      send(messages.map((one) => this.#note(node, marked(one, node.type, word))))
    }
    try {
      if (!behavior.hasQuietInput) status.showRunning()
      await behavior.onInput(panel, message, reply, signal, status)
    } catch (thrown) {
      // A command that was not carried out because the rehearsal has ended needs no error.
      if (signal.aborted) return
      const error = markedError(thrown, word)
      status.showCondition(panel, { state: 'failing', error }, '', {
        failing: behavior.failureText?.(panel, error),
      })
      throw error
    }
  }

  /**
   * Has *incident* and *new events* send their latest alarm once more with `late`, as after a restart: a flow may ring for
   * what is over.
   */
  repeatLate(): void {
    for (const [node, message] of [...this.#alarms]) {
      if (!['keyholder-incident', 'keyholder-events'].includes(node.type)) continue
      node.send([[this.#note(node, { ...message, late: true })]])
    }
  }

  /** Gives the nodes back to the real panel. */
  stop(): void {
    for (const { stop } of this.#nodes.values()) guard(this.#panelNode, stop)
    this.#nodes.clear()
  }

  /** Returns what takes the place of a node: only requests to it are real. */
  #substitute(behavior: Behavior, panel: Panel, status: NodeStatus): Parameters<BoundNode['pause']>[0] {
    const { onRequest, signal } = this.#options
    return {
      end: onRequest,
      take: (message) => behavior.onInput(panel, message, () => {}, signal, status),
    }
  }

  /** Notes a message that a node sends, and returns it. */
  #note(node: Node, message: FlowMessage): FlowMessage {
    this.#options.onMark(node, message)
    if (alarmOf(node.type, { ...message, late: true }) !== '') this.#alarms.set(node, { ...message })
    this.sent += 1
    return message
  }
}

/** Returns the nodes of a panel that can take part. The message and the heartbeat of a chain test are real ones. */
export function candidates(panelNode: Pick<PanelNode, 'flowNodes'>, homeAssistant: boolean): Node[] {
  return panelNode
    .flowNodes()
    .filter((node) => boundNodes.has(node) && node.type !== 'keyholder-chain-test')
    .filter(({ type }) => homeAssistant || type !== 'keyholder-home-assistant')
}

/**
 * Returns the kind of the alarm that a message of one of our nodes tells; empty if it tells none, or a threat, which flows may
 * keep secret.
 */
export function alarmOf(type: string, { payload, state, late }: FlowMessage): string {
  const {
    kind = '',
    news,
    group = null,
    contactId = null,
    typeId,
  } = (payload ?? {}) as Record<string, string>
  switch (type) {
    case 'keyholder-incident':
      return kind !== 'duress' && kind !== 'contact' && (news === 'alarm' || late === true) ? kind : ''
    case 'keyholder-events': {
      const alarm = alarmKindOf({ typeId: typeof typeId === 'number' ? typeId : null, group, contactId })
      return alarm === null || alarm === 'duress' ? '' : alarm
    }
    case 'keyholder-state':
      return (state as { value?: unknown } | undefined)?.value === 'ALARM' ? 'alarm' : ''
    case 'keyholder-conditions':
      return Array.isArray(payload) && payload.some((one) => one?.kind === 'alarm') ? 'alarm' : ''
    default:
      return ''
  }
}

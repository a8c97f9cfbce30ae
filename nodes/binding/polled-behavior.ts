import type { Node, NodeAPI } from 'node-red'
import type { Message, Which } from '../../src/messages/message.ts'
import type { DeliveringNode } from '../../src/panel/lease.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { Poller, Subscriber } from '../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { guard } from '../shared/guard.ts'
import type { ConditionTexts } from '../shared/node-status.ts'
import { type Behavior, mergeInto } from './panel-binding.ts'

/** The options of a node that reports a polled value. */
export interface PolledReport<V> {
  /** `change`: only what changed; `poll`: everything at every poll. */
  emit: 'change' | 'poll'
  /** True if everything is sent once after the start, and after this instance has begun to send for the node. */
  initial: boolean
  deliveredTo: DeliveringNode
  /** The sentence of the error if the panel has nothing of what the node selects. */
  nothingChosen: string
  /** The operation of the service that is polled. */
  operation: string
  watch(panel: Panel): Poller<Snapshot<V>>
  /** Asks for more than the polls read for everybody; returns a function that ends this. */
  await?(panel: Panel): () => void
  /** Returns the messages for a snapshot, and remembers what was reported. */
  messages(panel: Panel, snapshot: Snapshot<V>, which: Which): Message<unknown>[]
  /** Returns the status texts while the condition is fine; null if nothing selected exists. */
  texts(panel: Panel, snapshot: Snapshot<V>): ConditionTexts | null
}

/**
 * Returns the behavior of nodes that report a polled value: on change or at every poll, and all of it on
 * demand.
 */
export function polledBehavior<V>(
  RED: NodeAPI,
  node: Node,
  {
    emit,
    initial,
    deliveredTo,
    nothingChosen,
    operation,
    watch,
    messages,
    texts,
    ...report
  }: PolledReport<V>,
): Behavior {
  let hasBegun = false
  let latest: Snapshot<V> | undefined
  let subscriber: Subscriber<Snapshot<V>> | undefined

  const which = (): Which => {
    if (!hasBegun) return initial ? 'all' : 'none'
    return emit === 'poll' ? 'all' : 'changed'
  }

  const error = () => new KeyholderError('NOT_FOUND', nothingChosen)

  return {
    subscribe(panel, status) {
      const own: Subscriber<Snapshot<V>> = {
        snapshot: (snapshot) =>
          guard(node, () => {
            latest = snapshot
            const sent = messages(panel, snapshot, which())
            hasBegun = true
            if (sent.length > 0) node.send([sent.map((message) => ({ ...message }))])
          }),
        condition: (condition) =>
          guard(node, () => {
            // Another instance sends; when this one does again, it begins as after a restart.
            if (condition.state === 'standby') hasBegun = false
            const shown = latest && texts(panel, latest)
            if (shown === null && condition.state === 'fine') status.showError(error())
            else status.showCondition(panel, condition, operation, shown ?? {})
          }),
      }
      subscriber = own
      const leave = status.followSituation(panel.situation, () =>
        own.condition(watch(panel).conditionOf(own)),
      )
      const endAwait = report.await?.(panel)
      const stop = watch(panel).subscribe(own, deliveredTo)
      return () => {
        stop()
        endAwait?.()
        leave()
      }
    },

    async onInput(panel, message, send, signal) {
      // The answer contains everything; without `subscriber` here, changed values would be sent a second time.
      const snapshot = await watch(panel).read(signal, subscriber)
      latest = snapshot
      const answer = messages(panel, snapshot, 'all')
      hasBegun = true
      if (subscriber !== undefined) subscriber.condition(watch(panel).conditionOf(subscriber))
      if (answer.length === 0) throw error()
      send(mergeInto(RED, message, answer))
    },
  }
}

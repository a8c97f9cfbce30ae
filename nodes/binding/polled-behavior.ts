import type { Node, NodeAPI } from 'node-red'
import { type Message, mergeInto, type Which } from '../../src/messages/message.ts'
import type { DeliveringNode, PolledWork, ToldStore } from '../../src/panel/lease.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { Poller, Subscriber } from '../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { guard } from '../shared/guard.ts'
import type { ConditionTexts } from '../shared/node-status.ts'
import type { Behavior } from './panel-binding.ts'

/** The options of a node that reports a polled value. */
interface PolledReport<V> {
  /** `change`: only what changed; `poll`: everything at every poll. */
  emit: 'change' | 'poll'
  /** True if everything is sent once after the start, unless another instance has told it since. */
  initial: boolean
  deliveredTo: DeliveringNode
  /** The sentence of the error if the panel has nothing of what the node selects. */
  nothingChosen: string
  /** The operation of the service that is polled. */
  operation: string
  /** The part of the panel that is polled. */
  work: PolledWork
  /** Has what was told, and goes on from what another instance has told. */
  report: { readonly told: unknown; continueFrom(told: unknown): void }
  watch(panel: Panel): Poller<Snapshot<V>>
  /** Asks for more than the polls read for everybody; returns a function that ends this. */
  await?(panel: Panel): () => void
  /** The chosen partitions, of which the panel is told; absent or empty if a node chooses none. */
  partitions?: readonly number[]
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
    work,
    report,
    watch,
    messages,
    texts,
    ...options
  }: PolledReport<V>,
): Behavior {
  let hasBegun = false
  /** True if this instance has told anything since the start. */
  let hasTold = false
  /** True if another instance has told something since the start. */
  let hasStoodBy = false
  let latest: Snapshot<V> | undefined
  let subscriber: Subscriber<Snapshot<V>> | undefined

  const error = () => new KeyholderError('NOT_FOUND', nothingChosen)

  const tell = (panel: Panel, snapshot: Snapshot<V>, told: ToldStore | undefined) => {
    const atFirst = initial ? 'all' : 'none'
    const later = emit === 'poll' ? 'all' : 'changed'
    const sent = messages(panel, snapshot, hasBegun ? later : atFirst)
    if (sent.length > 0 || !hasBegun) void told?.save(report.told)
    hasBegun = true
    hasTold = true
    if (sent.length > 0) node.send([sent.map((message) => ({ ...message }))])
  }

  /** Goes on from what was told last. After a restart, this instance begins anew. */
  const goOn = async (told: ToldStore) => {
    const known = await told.load()
    if (known === undefined || hasBegun) return
    if (known.isOwn ? !hasTold : !hasStoodBy) return
    if (!known.isOwn) report.continueFrom(known.told)
    hasBegun = true
  }

  return {
    subscribe(panel, status) {
      const told = panel.toldStore(deliveredTo, work)
      let isLoading = false
      let mayTell = false
      const own: Subscriber<Snapshot<V>> = {
        snapshot: (snapshot) =>
          guard(node, async () => {
            latest = snapshot
            mayTell = true
            if (isLoading) return
            if (told !== undefined && !hasBegun && (hasTold || hasStoodBy)) {
              isLoading = true
              await goOn(told)
              isLoading = false
            }
            if (mayTell && told?.isHeld !== false) tell(panel, latest, told)
          }),
        condition: (condition) =>
          guard(node, () => {
            // Another instance sends.
            if (condition.state === 'standby') {
              hasBegun = false
              mayTell = false
              hasStoodBy ||= condition.holder !== undefined
            }
            const shown = latest && texts(panel, latest)
            if (shown === null && condition.state === 'fine') status.showError(error())
            else status.showCondition(panel, condition, operation, shown ?? {})
          }),
      }
      subscriber = own
      const leave = status.followSituation(panel.situation, () =>
        own.condition(watch(panel).conditionOf(own)),
      )
      const endAwait = options.await?.(panel)
      const { partitions } = options
      const endChoice =
        partitions?.length &&
        panel.polls.chosenPartitions.add({
          node: node.name || node.type,
          partitions,
          onChange: () => own.condition(watch(panel).conditionOf(own)),
        })
      const stop = watch(panel).subscribe(own, deliveredTo)
      return () => {
        mayTell = false
        stop()
        endAwait?.()
        if (endChoice) endChoice()
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

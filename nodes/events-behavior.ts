import type { Node, NodeAPI } from 'node-red'
import { type EventChoice, eventMessage, passes } from '../../src/messages/events.ts'
import { gapMessage } from '../../src/messages/gap.ts'
import { type Message, sourceOf } from '../../src/messages/source.ts'
import type { Delivery } from '../../src/panel/event-stream.ts'
import type { News, Panel } from '../../src/panel/panel.ts'
import type { Condition } from '../../src/panel/watch.ts'
import type { Catalogue } from '../../src/service/catalogue.ts'
import { type AttachedDef, type Behaviour, type FlowMessage, laidOver } from '../shared/attach.ts'
import { guard } from '../shared/guard.ts'
import { numbers, oneOf, words } from './choices.ts'

/** The settings of an events node, as they stand in a flow file. */
export interface EventsDef extends AttachedDef {
  groups?: unknown
  typeIds?: unknown
  labels?: unknown
  partitions?: unknown
  first?: unknown
  missed?: unknown
}

/** What an events node does: sends each new event of those that it has chosen, oldest first. */
export function behaviour(RED: NodeAPI, node: Node, def: EventsDef): Behaviour {
  const choice: EventChoice = {
    groups: words(def.groups),
    typeIds: numbers(def.typeIds),
    labels: words(def.labels),
    partitions: numbers(def.partitions),
  }
  const policy = {
    first: oneOf(def.first, ['skip', 'deliver']),
    missed: oneOf(def.missed, ['deliver', 'skip']),
  }
  /** The messages that wait for an answer: what a poll of theirs finds is laid over them. */
  const asking: FlowMessage[] = []

  const send = (messages: Message<unknown>[]) => {
    const incoming = asking[0]
    if (messages.length === 0) return
    node.send([laidOver(RED, incoming ? withoutOurs(RED.util.cloneMessage(incoming)) : {}, messages)])
  }

  const messagesOf = (panel: Panel, news: News<Catalogue>, deliveries: readonly Delivery[]) => {
    const catalogue = news.view
    const source = sourceOf(panel, news)
    return deliveries
      .filter(({ event }) => passes(event, catalogue.get(event.type_id ?? Number.NaN), choice))
      .map((delivery) => eventMessage(delivery, catalogue, source, panel.account.settings.timeZone, delivery))
  }

  return {
    listen: (panel, light) => {
      let latest: Condition = { state: 'reading' }
      const show = () => {
        const { error } = panel.stream
        // Events go on without the cursor, but a restart would not know of them.
        if (latest.state === 'fine' && error !== undefined) light.failing(error)
        else light.condition(panel, latest, 'events')
      }
      const leave = panel.stream.join(node.id, {
        policy,
        events: (deliveries, news) => guard(node, () => send(messagesOf(panel, news, deliveries))),
        gap: (gap, news) =>
          guard(node, () => {
            send([gapMessage(gap, sourceOf(panel, news), panel.account.settings.timeZone)])
          }),
        cursor: () => guard(node, show),
      })
      const stop = panel.events.listen({
        news: () => {},
        condition: (condition) =>
          guard(node, () => {
            latest = condition
            show()
          }),
      })
      // A node that comes back while others listen is given what it missed without waiting for its turn.
      panel.events.hurry()
      return () => {
        leave()
        stop()
      }
    },
    answer: async (panel, message, _send, signal) => {
      asking.push(message)
      try {
        await panel.events.readNow(signal)
      } finally {
        asking.splice(asking.indexOf(message), 1)
      }
    },
  }
}

/** A message from another events node must not lend its marks to an event that has none. */
function withoutOurs({ late, redelivered, eventKey, ...message }: FlowMessage): FlowMessage {
  return message
}

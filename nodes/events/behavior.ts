import type { Node, NodeAPI } from 'node-red'
import { type EventPayload, eventMessage, gapMessage, matches } from '../../src/messages/event-message.ts'
import { type Message, mergeInto } from '../../src/messages/message.ts'
import type { DeliveredEvent } from '../../src/panel/events/subscription.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { PollCondition, Subscriber } from '../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import { shownDescription } from '../../src/service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../../src/service/catalogue/catalogue.ts'
import { wholePanel } from '../../src/service/responses/status.ts'
import type { AttachedDef, Behavior, FlowMessage } from '../binding/panel-binding.ts'
import { readSettings } from '../pages/fields.ts'
import { guard } from '../shared/guard.ts'
import { phrase, type StatusText } from '../shared/node-status.ts'
import { settings } from './settings.ts'

/** Returns the behavior of an events node: it sends each new event that matches its filter, oldest first. */
export function behavior(RED: NodeAPI, node: Node, def: AttachedDef): Behavior {
  const { first, missed, instances, ...choice } = readSettings(settings, def)
  const policy = { first, missed }
  const deliveredTo = { id: node.id, instances }
  /** Input messages that wait for an answer; new events are merged into the first one. */
  const waitingInputs: FlowMessage[] = []

  // The events of each partition are those of the whole panel, too.
  const chosen = choice.partitions.includes(wholePanel) ? [] : choice.partitions

  let last: StatusText = phrase('events.status.none')

  const send = (messages: Message<unknown>[]) => {
    const incoming = waitingInputs[0]
    if (messages.length === 0) return
    node.send([mergeInto(RED, incoming ? withoutEventFlags(RED.util.cloneMessage(incoming)) : {}, messages)])
  }

  const messagesOf = (panel: Panel, snapshot: Snapshot<Catalogue>, deliveries: readonly DeliveredEvent[]) => {
    const catalogue = snapshot.view
    const source = panel.sourceOf(snapshot)
    return deliveries
      .filter(({ event }) => matches(event, catalogue.get(event.type_id ?? Number.NaN), choice))
      .map((delivery) => eventMessage(delivery, catalogue, source, panel.account.settings.timeZone, delivery))
  }

  return {
    subscribe: (panel, status) => {
      let latest: PollCondition = { state: 'reading' }
      const { chosenPartitions } = panel.polls
      const missing = () => (chosen.length > 0 ? chosenPartitions.missingOf(chosen) : [])
      const show = () => {
        const error = panel.eventDeliveries.error(deliveredTo)
        // Events still arrive if the cursor cannot be written, but after a restart the node would not know
        // them.
        if (latest.state === 'fine' && error !== undefined) status.showUnwritable()
        else status.showCondition(panel, latest, 'events', { fine: last, missing: missing() })
      }
      const leave = panel.eventDeliveries.subscribe(deliveredTo, {
        policy,
        events: (deliveries, snapshot) =>
          guard(node, () => {
            const messages = messagesOf(panel, snapshot, deliveries)
            const newest = messages.at(-1)
            if (newest !== undefined) last = eventStatus(newest.payload, snapshot.view)
            send(messages)
          }),
        gap: (gap, snapshot) =>
          guard(node, () => {
            send([gapMessage(gap, panel.sourceOf(snapshot), panel.account.settings.timeZone)])
          }),
        cursor: () => guard(node, show),
      })
      const subscriber: Subscriber<Snapshot<Catalogue>> = {
        snapshot: () => {},
        condition: (condition) =>
          guard(node, () => {
            latest = condition
            show()
          }),
      }
      const unfollow = status.followSituation(panel.situation, show)
      const stop = panel.events.subscribe(subscriber, deliveredTo)
      // If other nodes are already subscribed, this node gets its missed events now, not at the next poll.
      panel.events.pollNow()
      const endChoice =
        chosen.length > 0 &&
        chosenPartitions.add({
          node: node.name || node.type,
          partitions: chosen,
          onChange: () => guard(node, show),
        })
      return () => {
        leave()
        stop()
        unfollow()
        if (endChoice) endChoice()
      }
    },
    onInput: async (panel, message, _send, signal) => {
      waitingInputs.push(message)
      try {
        await panel.events.read(signal)
      } finally {
        waitingInputs.splice(waitingInputs.indexOf(message), 1)
      }
    },
  }
}

/** Returns the status for an event: what happened, in which zone, and when. It says nothing of a threat. */
function eventStatus(event: EventPayload, catalogue: Catalogue): StatusText {
  const { label, zoneName, time } = event
  const what = shownDescription(event, catalogue) || label
  return {
    detail: [what, zoneName].filter(Boolean).join(', '),
    ...(time !== null && { at: Date.parse(time) }),
  }
}

/** Removes the flags of another events node, so that they do not appear on an event that has no flags. */
function withoutEventFlags({ late, redelivered, eventKey, ...message }: FlowMessage): FlowMessage {
  return message
}

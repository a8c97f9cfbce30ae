import type { Node, NodeAPI } from 'node-red'
import { incidentMessage, type Moment } from '../../src/messages/incident-message.ts'
import { mergeInto } from '../../src/messages/message.ts'
import { IncidentFeed } from '../../src/panel/incidents/incident-feed.ts'
import type { DueIncident } from '../../src/panel/incidents/incident-report.ts'
import { alarmList } from '../../src/panel/incidents/incident-state.ts'
import type { IncidentView } from '../../src/panel/incidents/incident-view.ts'
import type { RunningAlarm } from '../../src/panel/incidents/running-alarms.ts'
import type { DeliveringNode } from '../../src/panel/lease.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { PollCondition, Subscriber } from '../../src/panel/polling/poller.ts'
import type { SituationFacts } from '../../src/panel/situation.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { StateView } from '../../src/panel/state/partition-state.ts'
import type { Catalogue } from '../../src/service/catalogue/catalogue.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import type { AttachedDef, Behavior } from '../binding/panel-binding.ts'
import { readSettings } from '../pages/fields.ts'
import { guard, guardedSubscriber } from '../shared/guard.ts'
import { incidentTexts } from '../shared/message-texts.ts'
import { alarmText, type ConditionTexts, phrase, type StatusText } from '../shared/node-status.ts'
import { settings } from './settings.ts'

/** Returns the behavior of an incident node: it tells each incident when it opens, when it grows and when it closes. */
export function behavior(RED: NodeAPI, node: Node, def: AttachedDef): Behavior {
  // A second message about the same burglary would be a second burglary.
  const self: DeliveringNode = { id: node.id, instances: 'one' }
  const { language } = readSettings(settings, def)
  let feed: IncidentFeed<Snapshot<Catalogue>> | undefined

  const messagesOf = (panel: Panel, snapshot: Snapshot<unknown>, due: readonly DueIncident[]) => {
    const texts = incidentTexts(language, panel.account.settings.locale)
    return due.map((one) => incidentMessage(one, panel.sourceOf(snapshot), texts, momentOf(panel)))
  }

  return {
    subscribe: (panel, status) => {
      const { clock, settings } = panel.account
      const { timeZone } = settings
      let conditions: { events: PollCondition; state: PollCondition } = {
        events: { state: 'reading' },
        state: { state: 'fine' },
      }

      const incidents = new IncidentFeed<Snapshot<Catalogue>>({
        context: (list) => ({
          catalogue: list?.view ?? catalogueOf(panel),
          timeZone,
          // The clock of a machine has fractions.
          readAt: Math.floor(list?.fetchedAt ?? clock.wall()),
          armings: panel.polls.stateReader.armings,
        }),
        tell: (telling) => guard(node, () => panel.eventDeliveries.tell(self, telling)),
        send: (due, list) =>
          guard(node, () => {
            const snapshot = list ?? panel.latest
            if (due.length > 0 && snapshot !== undefined)
              node.send([messagesOf(panel, snapshot, due).map((message) => ({ ...message }))])
            show()
          }),
      })
      feed = incidents

      const show = () => {
        const { events, state } = conditions
        const { unended } = incidents
        // After a restart these notes know of alarms that no list tells any more.
        panel.situation.noteAlarms(node.id, events.state === 'standby' ? [] : unended)
        const condition = events.state === 'fine' ? state : events
        const operation = events.state === 'fine' ? 'status' : 'events'
        const isUnwritable = panel.eventDeliveries.error(self) !== undefined
        if (condition.state === 'fine' && isUnwritable) status.showUnwritable()
        else
          status.showCondition(
            panel,
            condition,
            operation,
            textsOf(incidents.views, unended, panel.situation.facts),
          )
      }

      const leave = panel.eventDeliveries.subscribe(self, guardedSubscriber(node, incidents.subscriber, show))
      const eventsSubscriber: Subscriber<Snapshot<Catalogue>> = {
        snapshot: () => {},
        condition: (events) =>
          guard(node, () => {
            conditions = { ...conditions, events }
            show()
          }),
      }
      const stateSubscriber: Subscriber<Snapshot<StateView>> = {
        snapshot: ({ view, sentAt }) =>
          guard(node, () => {
            incidents.readContact({ online: panel.online, partitions: view.partitions })
            // The list of a panel that is out of reach says nothing: what it said last stands.
            if (view.online === false) return
            const list = alarmList(view, timeZone)
            incidents.readAlarms(list, view.evidence)
            incidents.readSigns(view, sentAt)
            // No request of its own: only a list that another node has read.
            const devices = panel.devices.latest
            if (devices?.view.isCurrent) {
              const requestedAt = Math.floor(devices.fetchedAt - (devices.at - devices.sentAt))
              incidents.readDevices({ ...devices.view, partitions: view.partitions, requestedAt })
            }
            const isOpen = incidents.views.some(({ status }) => status !== 'closed')
            if (isOpen && list?.isWhole === false) panel.polls.lookAgain()
          }),
        condition: (state) =>
          guard(node, () => {
            conditions = { ...conditions, state: state.state === 'reading' ? { state: 'fine' } : state }
            show()
          }),
      }
      const unfollow = status.followSituation(panel.situation, show)
      const stopEvents = panel.events.subscribe(eventsSubscriber, self)
      const stopState = panel.state.subscribe(stateSubscriber, self)
      // If other nodes are already subscribed, this node gets its missed events now, not at the next poll.
      panel.events.pollNow()
      return () => {
        unfollow()
        panel.situation.forgetAlarms(node.id)
        leave()
        stopEvents()
        stopState()
      }
    },

    onInput: async (panel, message, reply, signal) => {
      const [snapshot] = await Promise.all([panel.events.read(signal), panel.state.read(signal)])
      // On an instance that stands by, only what the other one has noted is up to date.
      const notes = await panel.eventDeliveries.sharedNotes(self)
      const views = (notes === undefined ? feed?.views : feed?.viewsOf(notes, snapshot)) ?? []
      const open = views.filter(({ status }) => status !== 'closed')
      const answer = open.length > 0 ? open : views.slice(-1)
      const due = answer.map(
        (incident): DueIncident => ({
          ...{ incident, news: 'detail', late: false, redelivered: false },
        }),
      )
      // The flags of another message are not about this answer.
      const { late, redelivered, ...incoming } = message
      reply(mergeInto(RED, incoming, messagesOf(panel, snapshot, due)))
    },
  }
}

function catalogueOf(panel: Panel): Catalogue {
  return panel.events.latest?.view ?? bundled
}

/**
 * Returns the present moment. Times are told in the zone in which the service writes them; UTC, which most services use,
 * is no zone of people, so they are then told in that of the machine.
 */
function momentOf({ account: { clock, settings } }: Panel): Moment {
  const { timeZone } = settings
  return { now: clock.wall(), timeZone: timeZone === 'UTC' ? undefined : timeZone }
}

/**
 * Returns the status texts: the latest incident. A threat is not shown, because others may read it, nor a mere loss of the
 * contact: while it lasts, the status tells that the panel is offline.
 */
function textsOf(
  views: readonly IncidentView[],
  unended: readonly RunningAlarm[],
  facts: SituationFacts,
): ConditionTexts {
  const keys = new Set(unended.map(({ eventKey }) => eventKey))
  const isRunning = ({ timeline, confirmed, status }: IncidentView) =>
    timeline.some(({ key }) => keys.has(key)) || (!confirmed && status !== 'closed')
  const shown = views.filter(({ kind }) => kind !== 'duress' && kind !== 'contact')
  const running = shown.findLast(isRunning)
  if (running === undefined) return { fine: statusOf(shown.at(-1)), alarm: alarmText(facts) }
  const place = placeOf(running)
  const isRestored = running.status === 'restored'
  return {
    fine: isRestored ? phrase('incident.status.restored', place) : phrase('incident.status.open', place),
  }
}

function statusOf(latest: IncidentView | undefined): StatusText {
  if (latest === undefined) return phrase('incident.status.none')
  return phrase('incident.status.closed', placeOf(latest))
}

/** Returns the first place of an incident, and its begin. */
function placeOf({ zones: [zone], since }: IncidentView) {
  return { detail: zone?.name || String(zone?.zone ?? ''), at: since }
}

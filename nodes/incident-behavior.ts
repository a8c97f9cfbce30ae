import type { Node, NodeAPI } from 'node-red'
import { incidentMessage } from '../src/messages/incident-message.ts'
import { bundled } from '../src/panel/catalogue/event-catalogue.ts'
import type { IncidentView } from '../src/panel/incidents/incident.ts'
import { type DueIncident, IncidentLog } from '../src/panel/incidents/incident-log.ts'
import type { Panel } from '../src/panel/panel.ts'
import type { DeliveringNode } from '../src/panel/panel-stores.ts'
import type { Condition } from '../src/panel/polling/poller.ts'
import type { Snapshot } from '../src/panel/snapshot.ts'
import type { ActiveAlarm, StateView } from '../src/panel/state/partition-state.ts'
import type { Catalogue } from '../src/service/catalogue/catalogue.ts'
import { incidentTexts } from './incident-texts.ts'
import { guard } from './shared/guard.ts'
import { type AttachedDef, type Behavior, mergeInto } from './shared/panel-binding.ts'
import { phrase, type StatusText } from './shared/status-text.ts'

/** The settings of an incident node, as stored in a flow file. */
export interface IncidentDef extends AttachedDef {
  language?: unknown
}

/** Returns the behavior of an incident node: it tells each incident when it opens, when it grows and when it closes. */
export function behavior(RED: NodeAPI, node: Node, def: IncidentDef): Behavior {
  const texts = incidentTexts(RED, def.language)
  const self: DeliveringNode = { id: node.id, instances: 'one' }
  const log = new IncidentLog()

  const messagesOf = (panel: Panel, snapshot: Snapshot<unknown>, due: readonly DueIncident[]) =>
    due.map((one) => incidentMessage(one, panel.sourceOf(snapshot), texts))

  const send = (panel: Panel, snapshot: Snapshot<unknown>, due: readonly DueIncident[]) => {
    if (due.length > 0) node.send([messagesOf(panel, snapshot, due).map((message) => ({ ...message }))])
  }

  return {
    subscribe: (panel, status) => {
      const { clock, settings } = panel.account
      let conditions: { events: Condition; state: Condition } = {
        events: { state: 'reading' },
        state: { state: 'fine' },
      }
      const now = () => Math.floor(clock.wall())
      let isRecalled = false
      /** What the events that are about to be sent have changed. */
      let due: readonly DueIncident[] = []

      const show = () => {
        const { events, state } = conditions
        const condition = events.state === 'fine' ? state : events
        const unwritable = panel.eventDeliveries.error(self) !== undefined
        if (condition.state === 'fine' && unwritable) status.showUnwritable()
        else {
          const operation = events.state === 'fine' ? 'status' : 'events'
          const views = isRecalled ? log.views(catalogueOf(panel), now()) : []
          status.showCondition(panel, condition, operation, { fine: statusOf(views) })
        }
      }

      const readAlarms = (
        alarms: readonly ActiveAlarm[] | undefined,
        snapshot: Snapshot<unknown> | undefined,
      ) => {
        if (!isRecalled || !log.readAlarms(alarms, catalogueOf(panel), now())) return
        const current = () => log.due(catalogueOf(panel), now())
        const telling = {
          notes: (isTold: boolean) => log.notes(now(), isTold ? [] : current()),
          send: () =>
            guard(node, () => {
              const changed = current()
              log.noteTold(changed)
              const source = snapshot ?? panel.latest
              if (source !== undefined) send(panel, source, changed)
              show()
            }),
        }
        guard(node, () => panel.eventDeliveries.tell(self, telling))
      }

      const leave = panel.eventDeliveries.subscribe(self, {
        // The list that is there on the first run tells who has armed, and whether an alarm lasts.
        policy: { first: 'deliver', missed: 'deliver' },
        recall: (notes) => {
          log.recall(notes, now())
          isRecalled = true
        },
        note: (deliveries, snapshot) => {
          let notes: string | undefined
          guard(node, () => {
            const { view: catalogue } = snapshot
            const readAt = Math.floor(snapshot.fetchedAt)
            const isNew = log.addEvents(deliveries, { catalogue, timeZone: settings.timeZone, readAt })
            due = log.due(catalogue, readAt)
            log.noteTold(due)
            if (isNew || due.length > 0) notes = log.notes(readAt)
          })
          return notes
        },
        events: (_deliveries, snapshot) =>
          guard(node, () => {
            send(panel, snapshot, due)
            due = []
            show()
          }),
        gap: () => {},
        cursor: () => guard(node, show),
      })
      const stopEvents = panel.events.subscribe({
        snapshot: () => {},
        condition: (events) =>
          guard(node, () => {
            conditions = { ...conditions, events }
            show()
          }),
      })
      const stopState = panel.state.subscribe({
        snapshot: (snapshot) => guard(node, () => readAlarms(alarmsOf(snapshot.view), snapshot)),
        condition: (state) =>
          guard(node, () => {
            conditions = { ...conditions, state: state.state === 'reading' ? { state: 'fine' } : state }
            if (state.state === 'failing' || state.state === 'stale') readAlarms(undefined, undefined)
            show()
          }),
      })
      panel.events.pollNow()
      return () => {
        leave()
        stopEvents()
        stopState()
      }
    },

    onInput: async (panel, message, reply, signal) => {
      const [snapshot] = await Promise.all([panel.events.read(signal), panel.state.read(signal)])
      const views = log.views(catalogueOf(panel), panel.account.clock.wall())
      const open = views.filter(({ status }) => status !== 'closed')
      const answer = open.length > 0 ? open : views.slice(-1)
      const due = answer.map((incident) => ({ incident, redelivered: false }))
      // The flag of another message is not about this answer.
      const { redelivered, ...incoming } = message
      reply(mergeInto(RED, incoming, messagesOf(panel, snapshot, due)))
    },
  }
}

function catalogueOf(panel: Panel): Catalogue {
  return panel.events.latest?.view ?? bundled
}

/** Returns the panel's list of alarms; undefined if it is not known now, or has no list of its own. */
function alarmsOf({ online, partitions }: StateView): readonly ActiveAlarm[] | undefined {
  if (online === false || partitions.some(({ inferred }) => inferred)) return undefined
  return partitions.flatMap(({ alarms }) => alarms)
}

/** Returns the status text: the latest incident. A threat is not shown, because others may read it. */
function statusOf(views: readonly IncidentView[]): StatusText {
  const shown = views.filter(({ kind }) => kind !== 'duress')
  const latest = shown.findLast(({ status }) => status !== 'closed') ?? shown.at(-1)
  if (latest === undefined) return phrase('incident.status.none')
  const [zone] = latest.zones
  const parts = { detail: zone?.name || String(zone?.zone ?? ''), at: latest.since }
  if (latest.status === 'open') return phrase('incident.status.open', parts)
  if (latest.status === 'restored') return phrase('incident.status.restored', parts)
  return phrase('incident.status.closed', parts)
}

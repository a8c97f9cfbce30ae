import type { DueIncident } from '../panel/incidents/incident-log.ts'
import type { IncidentView } from '../panel/incidents/incident-view.ts'
import type { Source } from '../panel/snapshot.ts'
import { type IncidentTexts, type Moment, summaryOf, titleOf } from './incident-summary.ts'
import { type Message, message } from './message.ts'

/** A person, and the time of what they did: ISO 8601 in UTC. */
export interface UserActionPayload {
  name: string
  at: string
}

/** The payload for an incident. Times are ISO 8601 in UTC. */
export interface IncidentPayload {
  /** The same in all messages about the incident. */
  id: string
  /** `fire`, `gas`, `panic`, `medical`, `burglary`, `alarm`, `flood`, `tamper`, `duress` or `contact`. */
  kind: string
  status: 'open' | 'restored' | 'closed'
  since: string
  until: string | null
  /** Empty means the whole panel. */
  partitions: number[]
  /** In the order of their first alarms; 0 is the control panel. */
  zones: { zone: number; name: string; first: string; restored: string | null }[]
  armedBy: UserActionPayload | null
  disarmedBy: UserActionPayload | null
  duress: boolean
  timeline: { time: string; eventKey: string; what: string; zone: number; actor: string }[]
  /** Kind and place in the language of the node, at most 60 characters. Says nothing of a threat. */
  title: string
  /** A few short sentences in the language of the node. They say nothing of a threat. */
  summary: string
  /** What is new since the latest message about the incident; the first three are worth waking somebody. */
  news: 'alarm' | 'zone' | 'contact' | 'restore' | 'over' | 'detail'
}

/** An incident, on the topic `<panel>/incident`; `late` and `redelivered` are present only when true. */
export interface IncidentMessage extends Message<IncidentPayload> {
  /** It was over before anything was told of it. */
  late?: true
  redelivered?: true
}

/** Builds the message about an incident. */
export function incidentMessage(
  { incident, news, late, redelivered }: DueIncident,
  source: Source,
  texts: IncidentTexts,
  moment: Moment,
): IncidentMessage {
  const told = {
    title: titleOf(incident, source.name, texts),
    summary: summaryOf(incident, texts, moment),
    news,
  }
  return {
    ...message(source, 'incident', { ...payload(incident), ...told }),
    ...(late && { late }),
    ...(redelivered && { redelivered }),
  }
}

function payload(view: IncidentView): Omit<IncidentPayload, 'title' | 'summary' | 'news'> {
  const { id, kind, status, since, until, partitions, zones, armedBy, disarmedBy, threat, timeline } = view
  return {
    id,
    kind,
    status,
    since: iso(since),
    until: until === null ? null : iso(until),
    partitions: [...partitions],
    zones: zones.map(({ zone, name, first, restored }) => ({
      zone,
      name,
      first: iso(first),
      restored: restored === null ? null : iso(restored),
    })),
    armedBy: armedBy && { name: armedBy.name, at: iso(armedBy.at) },
    disarmedBy: disarmedBy && { name: disarmedBy.name, at: iso(disarmedBy.at) },
    duress: threat !== null,
    timeline: timeline.map(({ time, key, what, zone, actor }) => ({
      time: iso(time),
      eventKey: key,
      what,
      zone,
      actor,
    })),
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

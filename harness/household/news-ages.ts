import type { Clock } from '../../src/clock.ts'
import { StateReport } from '../../src/messages/state-message.ts'
import { IncidentFeed } from '../../src/panel/incidents/incident-feed.ts'
import { alarmList } from '../../src/panel/incidents/incident-state.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { Catalogue } from '../../src/service/catalogue/catalogue.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import type { LoggedEvent } from '../../src/simulator/world/event-log.ts'
import type { Panel as SimulatedPanel } from '../../src/simulator/world/panel.ts'
import type { Act } from './household-plan.ts'

/** The kinds of news whose age is measured. */
export const newsKinds = [
  'armed',
  'disarmed',
  'entry delay',
  'alarm in state',
  'alarm event',
  'incident',
  'next zone',
  'who armed',
  'opened >= 60 s',
  'opened < 60 s',
] as const

/** One of the kinds of news. */
export type NewsKind = (typeof newsKinds)[number]

/** The news of a kind: milliseconds from what happened to the message, and the number that were over before one came. */
export interface Ages {
  ages: number[]
  missed: number
}

/** Milliseconds within which a message about a change is one that tells who caused it, or does not. */
const maxChangeAge = 20_000

const longOpening = 60

const alarmTypes: ReadonlySet<number> = new Set([1, 2, 3, 36])
const userTypes: ReadonlySet<number> = new Set([31, 85, 86, 89])
const armedValues: ReadonlySet<string> = new Set(['ARMING', 'AWAY', 'HOME'])

/**
 * Compares what happened at a simulated panel with what its nodes are told, and when: the state of the main partition, the
 * new events, the incidents and the open doors.
 */
export class NewsAges {
  readonly of = Object.fromEntries(
    newsKinds.map((kind): [NewsKind, Ages] => [kind, { ages: [], missed: 0 }]),
  ) as Record<NewsKind, Ages>
  /** The messages that tell a change of the arming state in time, and those of them that tell who caused it. */
  readonly changes = { told: 0, named: 0 }
  readonly #clock: Clock
  readonly #simulated: SimulatedPanel
  /** The times of what happened and was not told, by the kind of the news. */
  readonly #pending = new Map<NewsKind, number>()
  /** The openings that were not told, by zone. */
  readonly #openings = new Map<number, { at: number; kind: NewsKind }>()
  /** The things that happened, by the id of their event. */
  readonly #events = new Map<number, { at: number; kind: NewsKind }>()
  /** The latest event of the service that was seen: its list keeps few. */
  #seenEvent: LoggedEvent | undefined
  #hasAlarm = false
  #stops: (() => void)[] = []

  constructor(simulated: SimulatedPanel, clock: Clock) {
    this.#simulated = simulated
    this.#clock = clock
    this.#seenEvent = simulated.events.at(-1)
  }

  /** Subscribes to a panel as a state, a readings, an events and an incident node do. */
  watch(panel: Panel): void {
    const node = { id: 'node', instances: 'one' } as const
    const condition = () => {}
    const report = new StateReport({ partitions: [], vocabulary: 'native' })
    const main = this.#simulated.partitions[0]?.plan.id
    const incidents = this.#watchIncidents(panel)
    this.#stops = [
      panel.eventDeliveries.subscribe(node, {
        policy: { first: 'skip', missed: 'deliver' },
        events: (deliveries) => {
          for (const { event } of deliveries) this.#tellEvent(event.event ?? 0)
        },
        gap: () => {},
      }),
      panel.state.subscribe({
        condition,
        snapshot: (snapshot) => {
          const source = panel.sourceOf(snapshot)
          const now = this.#clock.monotonic()
          for (const { partition, state } of report.messages(snapshot.view, source, 'changed', now))
            if (partition.id === main) this.#tellState(state.value, state.changedBy !== null)
          const list = alarmList(snapshot.view, panel.account.settings.timeZone)
          incidents.readContact({ online: panel.online, partitions: snapshot.view.partitions })
          incidents.readAlarms(list)
        },
      }),
      panel.events.subscribe({ snapshot: () => {}, condition }),
      panel.devices.subscribe({
        condition,
        snapshot: ({ view }) => {
          for (const { device_type, device_number, warnings } of view.listed)
            if (device_type === 'ZONE' && warnings.some(({ type }) => type === 'OPENED'))
              this.#tellOpening(device_number ?? 0)
        },
      }),
    ]
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  /** Notes an act that was just performed at the simulated panel, or that the panel may have done something by itself. */
  note(act: Act): void {
    const now = this.#clock.monotonic()
    this.#noteAct(act, now)
    this.#noteEvents(now)
    const [main] = this.#simulated.partitions
    const hasAlarm = this.#simulated.incidents.some(({ active }) => active)
    if (hasAlarm && !this.#hasAlarm)
      for (const kind of ['alarm in state', 'incident'] as const) this.#await(kind, now)
    this.#hasAlarm = hasAlarm
    if (!hasAlarm) this.#miss('alarm in state')
    if (main?.state === 'ENTRY_DELAY') {
      if (!this.#pending.has('entry delay') && act.what === 'open') this.#await('entry delay', now)
    } else this.#miss('entry delay')
  }

  #noteAct(act: Act, now: number): void {
    if (act.what === 'arm') {
      this.#miss('disarmed')
      this.#await('armed', now)
    } else if (act.what === 'disarm') {
      this.#miss('armed')
      this.#await('disarmed', now)
    } else if (act.what === 'open' && act.lasts > 0) {
      const kind = act.lasts < longOpening ? 'opened < 60 s' : 'opened >= 60 s'
      this.#openings.set(act.zone, { at: now, kind })
    } else if (act.what === 'close') {
      const opening = this.#openings.get(act.zone)
      if (opening !== undefined) this.of[opening.kind].missed += 1
      this.#openings.delete(act.zone)
    }
  }

  /** Notes the new events of the service; the first alarm is another kind than those that follow while it lasts. */
  #noteEvents(now: number): void {
    const { events } = this.#simulated
    const seen = this.#seenEvent === undefined ? -1 : events.lastIndexOf(this.#seenEvent)
    for (const { event, type_id } of events.slice(seen + 1)) {
      if (alarmTypes.has(type_id)) {
        const kind = this.#hasAlarm ? 'next zone' : 'alarm event'
        this.#events.set(event, { at: now, kind })
      } else if (userTypes.has(type_id)) this.#events.set(event, { at: now, kind: 'who armed' })
    }
    this.#seenEvent = events.at(-1)
  }

  #await(kind: NewsKind, now: number): void {
    this.#miss(kind)
    this.#pending.set(kind, now)
  }

  #miss(kind: NewsKind): void {
    if (this.#pending.delete(kind)) this.of[kind].missed += 1
  }

  /** Notes that something was told; returns its age, undefined if that was told before or nothing has happened. */
  #tell(kind: NewsKind): number | undefined {
    const at = this.#pending.get(kind)
    if (at === undefined) return undefined
    this.#pending.delete(kind)
    const age = this.#clock.monotonic() - at
    this.of[kind].ages.push(age)
    return age
  }

  #tellState(value: string, isNamed: boolean): void {
    if (value === 'ENTRY_DELAY') this.#tell('entry delay')
    if (value === 'ALARM') this.#tell('alarm in state')
    const age = armedValues.has(value)
      ? this.#tell('armed')
      : value === 'DISARM'
        ? this.#tell('disarmed')
        : undefined
    if (age === undefined || age > maxChangeAge) return
    this.changes.told += 1
    if (isNamed) this.changes.named += 1
  }

  #tellEvent(event: number): void {
    const happened = this.#events.get(event)
    if (happened === undefined) return
    this.#events.delete(event)
    this.of[happened.kind].ages.push(this.#clock.monotonic() - happened.at)
  }

  #tellOpening(zone: number): void {
    const opening = this.#openings.get(zone)
    if (opening === undefined) return
    this.#openings.delete(zone)
    this.of[opening.kind].ages.push(this.#clock.monotonic() - opening.at)
  }

  #watchIncidents(panel: Panel): IncidentFeed<Snapshot<Catalogue>> {
    const node = { id: 'incidents', instances: 'one' } as const
    const { clock, settings } = panel.account
    const feed = new IncidentFeed<Snapshot<Catalogue>>({
      context: (list) => ({
        catalogue: list?.view ?? panel.events.latest?.view ?? bundled,
        timeZone: settings.timeZone,
        readAt: Math.floor(list?.fetchedAt ?? clock.wall()),
      }),
      tell: (telling) => void panel.eventDeliveries.tell(node, telling),
      send: (due) => {
        if (due.some(({ incident }) => incident.kind !== 'contact' && incident.status === 'open'))
          this.#tell('incident')
      },
    })
    panel.eventDeliveries.subscribe(node, feed.subscriber)
    return feed
  }
}

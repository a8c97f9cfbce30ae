import assert from 'node:assert/strict'
import { minute, second } from '../../../src/duration.ts'
import type { DeliveredEvent } from '../../../src/panel/events/subscription.ts'
import { IncidentFeed } from '../../../src/panel/incidents/incident-feed.ts'
import type { DueIncident } from '../../../src/panel/incidents/incident-report.ts'
import { alarmList } from '../../../src/panel/incidents/incident-state.ts'
import { noEvidence } from '../../../src/panel/state/alarm-evidence.ts'
import type { ActiveAlarm, PartitionState, StateView } from '../../../src/panel/state/partition-state.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const start = Date.parse('2026-11-22T10:00:00Z')

/** An entry of the list of alarms: the zone 2 in the partition 1. */
function entryOf(zone: number, at: number, type = 'BURGLARY', partition = 1): ActiveAlarm {
  const timeRaw = new Date(at).toISOString().slice(0, 19)
  return {
    ...{ type, inMemory: false, deviceType: 'ZONE', zone, zoneName: `Zone ${zone}`, location: '' },
    ...{ partitions: [partition], time: `${timeRaw}Z`, timeRaw: timeRaw.replace('T', ' ') },
  }
}

/** A node's incidents, its panel and its clock. */
class Story {
  /** Milliseconds since 1970. */
  now = start
  readonly told: DueIncident[] = []
  notes: string | null = null
  #feed = this.#newFeed()
  #events = 0

  constructor() {
    this.events()
  }

  /** The news of all messages, each with the zones, and a question mark if no event confirms it. */
  get news(): string[] {
    return this.told.map(
      ({ news, incident }) =>
        `${news} ${incident.kind} ${incident.zones.map(({ zone }) => zone).join('+')}${incident.confirmed ? '' : '?'}`,
    )
  }

  /** The number of incidents that were told. */
  get count(): number {
    return new Set(this.told.map(({ incident }) => incident.id)).size
  }

  /** Lets another process go on from the notes. */
  restart(): void {
    this.#feed = this.#newFeed()
    this.events()
  }

  /** Reads the state after ten seconds. */
  state(value: string, entries: readonly ActiveAlarm[] = [], fields: Partial<StateView> = {}): void {
    this.now += 10 * second
    const partitionOf = (id: number): PartitionState => {
      const alarms = entries.filter(({ partitions }) => partitions.includes(id))
      return {
        ...{
          id,
          name: '',
          active: true,
          value: alarms.length > 0 ? 'ALARM' : value,
          status: '',
          ready: true,
        },
        ...{ options: [], settable: [], isArmed: true, night: null, exitDelay: null, exitUntil: null },
        ...{ alarms, inferred: false, changedBy: null },
      }
    }
    const view: StateView = {
      ...{ online: true, partitions: [1, 2].map(partitionOf), hasAllPartitions: true, hasAllAlarms: true },
      evidence: { ...noEvidence, partitions: [{ id: 1, state: value }] },
      ...fields,
    }
    this.#feed.readAlarms(alarmList(view, 'UTC'), view.evidence)
    this.#feed.readSigns(view, this.now)
  }

  /** Lists new events: type, zone, and the milliseconds since 1970 of the panel's clock. */
  events(...events: readonly (readonly [typeId: number, zone: number, at?: number])[]): void {
    const deliveries = events.map(([typeId, zone, at = this.now]): DeliveredEvent => {
      this.#events += 1
      const datetime = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
      const deviceType = zone === 0 ? 'USER' : 'ZONE'
      const event = {
        ...{ event: this.#events, type_id: typeId, label: '', description: '', appointment: '', datetime },
        ...{ video: false, device_type: deviceType, zone, zone_name: `Zone ${zone}`, partitions: [1] },
      }
      return { event, key: `key-${this.#events}`, sequence: this.#events, late: false, redelivered: false }
    })
    this.notes = this.#feed.subscriber.note?.(deliveries, 0) ?? this.notes
    this.#feed.subscriber.events(deliveries, 0)
  }

  #newFeed(): IncidentFeed<number> {
    const feed = new IncidentFeed<number>({
      context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt: this.now }),
      tell: ({ notes, send }) => {
        this.notes = notes(false)
        send()
        this.notes = notes(true)
      },
      send: (due) => this.told.push(...due),
    })
    feed.subscriber.recall?.(this.notes)
    return feed
  }
}

describe('An alarm that no event has told yet', () => {
  let story: Story

  beforeEach(() => {
    story = new Story()
    story.state('AWAY')
  })

  // @spec abort-time
  it('is told at once if the state changes into it, with the zone and kind of the list', () => {
    story.state('AWAY', [entryOf(2, story.now)])
    assert.deepEqual(story.news, ['alarm burglary 2?'])
    assert.deepEqual(story.told[0]?.incident.timeline, [])
  })

  it('is told by the state alone, without a zone', () => {
    story.state('ALARM')
    assert.deepEqual(story.news, ['alarm alarm ?'])
    assert.equal(story.told[0]?.incident.place, null)
  })

  it('is told after the second answer that shows it, if the first answer of all showed it too', () => {
    const other = new Story()
    other.state('AWAY', [entryOf(2, other.now)])
    assert.deepEqual(other.news, [])
    other.state('AWAY', [entryOf(2, other.now)])
    assert.deepEqual(other.news, ['alarm burglary 2?'])
  })

  it('becomes one incident with its event, which rings no second time', () => {
    story.state('AWAY', [entryOf(2, story.now)])
    story.events([1, 2])
    assert.deepEqual(story.news, ['alarm burglary 2?', 'detail burglary 2'])
    assert.equal(story.count, 1)
  })

  it('becomes one incident with its event, also if the clock of the panel is hours behind', () => {
    story.state('ALARM')
    story.events([1, 2, story.now - 3 * 60 * minute])
    assert.deepEqual(story.news, ['alarm alarm ?', 'detail burglary 2'])
    assert.equal(story.count, 1)
  })

  it('tells an event of another zone as a further zone', () => {
    story.state('AWAY', [entryOf(2, story.now)])
    story.events([1, 3])
    assert.deepEqual(story.news, ['alarm burglary 2?', 'zone burglary 2+3'])
    assert.equal(story.count, 1)
  })

  it('tells a further zone of the list before any event', () => {
    const first = entryOf(2, story.now)
    story.state('AWAY', [first])
    story.state('AWAY', [first, entryOf(3, story.now)])
    story.state('AWAY', [first, entryOf(3, story.now)])
    assert.deepEqual(story.news, ['alarm burglary 2?', 'zone burglary 2+3?'])
  })

  it('is not reported by an alarm of another zone that a disarm has ended before it', () => {
    story.now += 10 * minute
    const since = story.now
    story.state('AWAY', [entryOf(2, since)])
    const ago = (minutes: number) => since - minutes * minute
    // After an outage a panel reports all at once.
    story.events([36, 6, ago(9)], [31, 0, ago(8)], [86, 0, ago(7)], [1, 2, since])
    assert.deepEqual(story.news.toSorted(), ['alarm burglary 2?', 'detail burglary 2', 'over fire 6'])
  })

  it('is reported in its incident, and not in one before it that nothing has reported', () => {
    story.state('AWAY', [entryOf(8, story.now)])
    const later = story.now
    for (let at = 0; at < 2; at += 1) story.state('AWAY', [entryOf(3, later)])
    story.events([89, 0, later], [86, 0, later], [1, 3, later])
    assert.deepEqual(story.news, [
      'alarm burglary 8?',
      'alarm burglary 3?',
      'over burglary 8?',
      'detail burglary 3',
    ])
  })

  it('does not open the incident before it of its zone again by its restore', () => {
    const first = entryOf(2, story.now)
    story.events([1, 2])
    story.state('AWAY', [first])
    for (let at = 0; at < 3; at += 1) story.state('AWAY', [{ ...first, inMemory: true }])
    const later = story.now + 90 * second
    for (let at = 0; at < 2; at += 1) story.state('AWAY', [entryOf(2, later)])
    story.events([1, 2, later], [19, 2, later])
    story.state('AWAY', [entryOf(2, later)])
    const [one] = story.told
    assert.deepEqual(
      story.told.filter(({ incident }) => incident.id === one?.incident.id).map(({ news }) => news),
      ['alarm', 'over'],
    )
    assert.equal(story.count, 2)
  })

  it('is over with a disarm, and is never confirmed if no event follows', () => {
    story.state('AWAY', [entryOf(2, story.now)])
    for (let at = 0; at < 3; at += 1) story.state('DISARM')
    assert.deepEqual(story.news, ['alarm burglary 2?', 'over burglary 2?'])
  })

  it('rings no second time if its event comes after the list has ended it, and does for a further alarm', () => {
    const begunAt = story.now
    story.state('AWAY', [entryOf(2, begunAt)])
    const inMemory = { ...entryOf(2, begunAt), inMemory: true }
    for (let at = 0; at < 3; at += 1) story.state('AWAY', [inMemory])
    story.events([1, 2, begunAt])
    assert.deepEqual(story.news, ['alarm burglary 2?', 'over burglary 2?'])
    story.events([1, 2])
    assert.equal(story.news.at(-1), 'alarm burglary 2')
    assert.equal(story.count, 1)
  })

  it('opens nothing within a minute after the end of an alarm of its partition', () => {
    story.events([1, 2])
    story.state('AWAY', [entryOf(2, story.now)])
    const before = story.told.length
    story.events([89, 0, story.now + second])
    story.state('ALARM')
    story.state('ALARM')
    assert.equal(story.count, 1)
    assert.deepEqual(
      story.told.slice(before).map(({ news }) => news),
      ['over'],
    )
  })

  it('opens one at once if the list tells it with a later time, and its event belongs there', () => {
    const first = entryOf(2, story.now)
    story.events([1, 2])
    story.state('AWAY', [first])
    story.state('AWAY', [{ ...first, inMemory: true }])
    const before = story.news.length
    const second = entryOf(3, story.now + 2 * minute)
    for (let at = 0; at < 2; at += 1) story.state('AWAY', [{ ...first, inMemory: true }, second])
    story.events([1, 3, story.now + 2 * minute])
    assert.deepEqual(story.news.slice(before), ['over burglary 2', 'alarm burglary 3?', 'detail burglary 3'])
  })

  it('opens a second incident if it still shows more than a minute after the end of the one before', () => {
    story.events([1, 2])
    story.events([89, 0, story.now + second])
    for (let at = 0; at < 8; at += 1) story.state('ALARM')
    assert.equal(story.count, 2)
  })

  it('is told once, also over a restart', () => {
    const entry = entryOf(2, story.now)
    story.state('AWAY', [entry])
    story.restart()
    story.state('AWAY', [entry])
    story.state('AWAY', [entry])
    story.events([1, 2, start])
    assert.deepEqual(story.news, ['alarm burglary 2?', 'detail burglary 2'])
    assert.equal(story.count, 1)
  })

  it('is no second incident if an event has told it before the list shows it', () => {
    story.events([1, 2])
    story.state('AWAY', [entryOf(2, story.now)])
    story.state('AWAY', [entryOf(2, story.now)])
    assert.deepEqual(story.news, ['alarm burglary 2'])
  })

  it('is not told of an alarm in memory, a threat, or an alarm that the latest list lacks', () => {
    story.state('AWAY', [{ ...entryOf(2, story.now), inMemory: true }], { evidence: noEvidence })
    const threat = entryOf(0, story.now, 'DURESS')
    const held = entryOf(3, story.now)
    for (let at = 0; at < 3; at += 1) {
      story.state('AWAY', [threat])
      story.state('AWAY', [held], { heldAlarms: [held], hasAllAlarms: false })
    }
    assert.deepEqual(story.news, [])
  })

  it('names who has armed in the second of the alarm, and is confirmed by an alarm alone', () => {
    const armedAt = story.now
    story.events([86, 0])
    story.state('AWAY', [entryOf(2, armedAt)])
    assert.deepEqual(story.news, ['alarm burglary 2?'])
    assert.equal(story.told[0]?.incident.armedBy?.at, armedAt)
  })

  it('is told for each zone that the summary names, and not for those beyond', () => {
    const entries = Array.from({ length: 10 }, (_, at) => entryOf(at + 2, story.now))
    for (const [at] of entries.entries())
      for (let times = 0; times < 2; times += 1) story.state('AWAY', entries.slice(0, at + 1))
    assert.equal(story.told.length, 8)
  })

  it('opens an incident for each partition that shares none', () => {
    story.state('AWAY', [entryOf(2, story.now), entryOf(7, story.now, 'FIRE', 2)])
    assert.equal(story.count, 2)
  })
})

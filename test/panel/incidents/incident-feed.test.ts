import assert from 'node:assert/strict'
import type { Telling } from '../../../src/panel/events/event-delivery.ts'
import type { DeliveredEvent } from '../../../src/panel/events/subscription.ts'
import { IncidentFeed } from '../../../src/panel/incidents/incident-feed.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const readAt = Date.parse('2026-11-22T10:00:00Z')

function delivered(sequence: number, typeId: number, datetime: string): DeliveredEvent {
  const event = {
    ...{ event: sequence, type_id: typeId, label: '', description: '', appointment: '', datetime },
    ...{ video: false, device_type: 'ZONE', zone: 1, zone_name: 'Hall', partitions: [1] },
  }
  return { event, key: `key-${sequence}`, sequence, late: false, redelivered: false }
}

describe('The incidents that a node tells', () => {
  it('are forgotten when another process goes on, whose notes tell how they stand', () => {
    const context = () => ({ catalogue: bundled, timeZone: 'UTC', readAt })
    const open = () => new IncidentFeed<number>({ context, tell: () => {}, send: () => {} })
    const [before, next] = [open(), open()]
    before.subscriber.recall?.(null)
    const opened = before.subscriber.note?.([delivered(1, 2, '2026-11-22 09:30:00')], 0) ?? null
    assert.deepEqual(
      before.views.map(({ status }) => status),
      ['open'],
    )
    before.subscriber.forget?.()
    assert.deepEqual(before.views, [])
    next.subscriber.recall?.(opened)
    const closed = next.subscriber.note?.([delivered(2, 89, '2026-11-22 09:31:00')], 0) ?? null
    assert.deepEqual(
      before.viewsOf(closed, 0).map(({ status }) => status),
      ['closed'],
    )
    assert.deepEqual(before.viewsOf(null, 0), [])
    assert.deepEqual(before.views, [])
  })

  it('are told as they were noted, and next what has become known while the notes were saved', () => {
    const tellings: Telling[] = []
    const told: string[] = []
    const feed = new IncidentFeed<number>({
      context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt }),
      tell: (telling) => tellings.push(telling),
      send: (due) => told.push(...due.map(({ incident }) => incident.status)),
    })
    feed.subscriber.recall?.(null)
    const partitions = [{ active: true, value: 'AWAY' }]
    for (const online of [true, false]) feed.readContact({ online, partitions })
    tellings[0]?.notes(false)
    feed.readContact({ online: true, partitions })
    for (const { notes, send } of tellings) {
      if (told.length > 0) notes(false)
      send()
    }
    assert.deepEqual(told, ['open', 'closed'])
  })

  it('are told as repeated if that is known only when their event is sent, such as on a disk that cannot be written', () => {
    const told: boolean[] = []
    const feed = new IncidentFeed<number>({
      context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt }),
      tell: () => {},
      send: (due) => told.push(...due.map(({ redelivered }) => redelivered)),
    })
    feed.subscriber.recall?.(null)
    const alarm = delivered(1, 2, '2026-11-22 09:30:00')
    feed.subscriber.note?.([alarm], 0)
    feed.subscriber.events([{ ...alarm, redelivered: true }], 0)
    feed.subscriber.note?.([delivered(2, 89, '2026-11-22 09:31:00')], 0)
    feed.subscriber.events([delivered(2, 89, '2026-11-22 09:31:00')], 0)
    assert.deepEqual(told, [true, false])
  })
})

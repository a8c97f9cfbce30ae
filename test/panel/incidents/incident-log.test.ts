import assert from 'node:assert/strict'
import { bundled } from '../../../src/panel/catalogue/event-catalogue.ts'
import type { DeliveredEvent } from '../../../src/panel/events/subscription.ts'
import { IncidentLog } from '../../../src/panel/incidents/incident-log.ts'

const now = Date.parse('2026-11-22T10:00:00Z')
const context = { catalogue: bundled, timeZone: 'UTC', readAt: now }

/** Returns an event as it is delivered; its number is its sequence. */
function delivered(
  sequence: number,
  typeId: number,
  datetime: string,
  redelivered = false,
  partition = 1,
): DeliveredEvent {
  const event = {
    ...{ event: sequence, type_id: typeId, label: '', description: '', appointment: 'Tom', datetime },
    ...{ video: false, device_type: 'ZONE', zone: 1, zone_name: 'Hall', partitions: [partition] },
  }
  return { event, key: `key-${sequence}`, sequence, late: false, redelivered }
}

/** Returns a log after the notes of an earlier process, or at its first run an hour ago. */
function logAfter(notes: string | null = null): IncidentLog {
  const log = new IncidentLog()
  log.recall(notes, now - 3_600_000)
  return log
}

/** Takes events, and returns what is to be told of them. */
function tell(log: IncidentLog, ...events: DeliveredEvent[]) {
  log.addEvents(events, context)
  const due = log.due(bundled, now)
  log.noteTold(due)
  return due
}

describe('The log of incidents', () => {
  it('repeats flagged what an event before an incident has changed, if its message may be lost', () => {
    const log = logAfter()
    tell(log, delivered(1, 2, '2026-11-22 09:30:00'))
    const [grown] = tell(log, delivered(2, 86, '2026-11-22 09:20:00'))
    assert.equal(grown?.incident.armedBy?.name, 'Tom')
    const again = tell(logAfter(log.notes(now)), delivered(2, 86, '2026-11-22 09:20:00', true))
    assert.deepEqual(again, [{ incident: grown?.incident, redelivered: true }])
  })

  it('repeats nothing because of an event that belongs to no incident', () => {
    const log = logAfter()
    tell(log, delivered(1, 2, '2026-11-22 09:30:00'), delivered(2, 86, '2026-11-22 09:31:00', false, 2))
    assert.deepEqual(tell(logAfter(log.notes(now)), delivered(2, 86, '2026-11-22 09:31:00', true, 2)), [])
  })

  it('gives an event without a valid time that of its neighbor in the list', () => {
    const tellTimes = (...events: DeliveredEvent[]) =>
      tell(logAfter(), ...events).flatMap(({ incident }) =>
        incident.timeline.map(({ time }) => new Date(time).toISOString().slice(11, 19)),
      )
    assert.deepEqual(
      tellTimes(
        delivered(1, 86, '2026-11-22 09:20:00'),
        delivered(2, 2, '?'),
        delivered(3, 20, '2026-11-22 09:40:00'),
      ),
      ['09:20:00', '09:40:00'],
    )
    assert.deepEqual(tellTimes(delivered(1, 2, '?'), delivered(2, 20, '2026-11-22 09:40:00')), [
      '09:40:00',
      '09:40:00',
    ])
    assert.deepEqual(tellTimes(delivered(1, 2, '?')), ['10:00:00'])
  })
})

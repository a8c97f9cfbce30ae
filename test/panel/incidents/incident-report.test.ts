import assert from 'node:assert/strict'
import { day, hour, minute } from '../../../src/duration.ts'
import { withRepeatedHour } from '../../../src/panel/events/event-order.ts'
import type { DeliveredEvent } from '../../../src/panel/events/subscription.ts'
import { IncidentReport } from '../../../src/panel/incidents/incident-report.ts'
import { withAlarms, withContact } from '../../../src/panel/incidents/incident-state.ts'
import { noEvidence } from '../../../src/panel/state/alarm-evidence.ts'
import type { ActiveAlarm } from '../../../src/panel/state/partition-state.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

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
function logAfter(notes: string | null = null): IncidentReport {
  const log = new IncidentReport()
  log.recall(notes, now - 3_600_000)
  return log
}

/** An entry of the panel's list of alarms. */
const listed = {
  ...{ type: 'BURGLER', inMemory: false, deviceType: 'ZONE', zone: 1, zoneName: 'Hall', location: '' },
  ...{ partitions: [1], time: '2026-11-22T09:30:00.000Z', timeRaw: '' },
}
const armed = { active: true, value: 'AWAY' }

/** Takes the panel's list of alarms. */
function readAlarms(log: IncidentReport, alarms: readonly ActiveAlarm[]): boolean {
  return log.change((book) => withAlarms(book, { alarms, isWhole: true }, bundled, now), context)
}

function readContact(log: IncidentReport, online: boolean): boolean {
  return log.change((book) => withContact(book, { online, partitions: [armed] }, bundled, now), context)
}

/** Takes events, and returns what is to be told of them. */
function tell(log: IncidentReport, ...events: DeliveredEvent[]) {
  log.addEvents(events, context)
  const due = log.due(bundled, now)
  log.noteTold(due)
  return due
}

describe('The log of incidents', () => {
  it('keeps an opened case open after a restart, if the clock was days behind when it became known', () => {
    const [epoch, monotonic] = [now - hour, hour]
    const wrong = { epoch: epoch - 30 * day, from: 0, to: hour / 2 }
    const right = { epoch, from: hour / 2, to: monotonic }
    const tamper = delivered(1, 8, '2026-11-22 09:10:00')
    const log = new IncidentReport()
    log.recall(null, wrong.epoch)
    log.noteEpochs([wrong])
    log.addEvents([tamper], { ...context, readAt: wrong.epoch + 10 * minute })
    log.noteEpochs([wrong, right])
    assert.equal(readAlarms(log, []), true, 'it is noted anew')
    const after = logAfter(log.notes(now))
    const evidence = { ...noEvidence, agreedAt: monotonic, epoch, epochs: [right] }
    const list = { alarms: [], isWhole: true }
    after.change((book) => withAlarms(book, list, bundled, now, evidence), context)
    const statuses = after.views(bundled, now).map(({ status }) => status)
    assert.deepEqual(statuses, ['open'])
  })

  it('repeats flagged what an event before an incident has changed, if its message may be lost', () => {
    const log = logAfter()
    tell(log, delivered(1, 2, '2026-11-22 09:30:00'))
    const [grown] = tell(log, delivered(2, 86, '2026-11-22 09:20:00'))
    assert.equal(grown?.incident.armedBy?.name, 'Tom')
    const again = tell(logAfter(log.notes(now)), delivered(2, 86, '2026-11-22 09:20:00', true))
    assert.deepEqual(again, [{ ...grown, redelivered: true }])
  })

  it('repeats nothing because of an event that belongs to no incident', () => {
    const log = logAfter()
    tell(log, delivered(1, 2, '2026-11-22 09:30:00'), delivered(2, 86, '2026-11-22 09:31:00', false, 2))
    assert.deepEqual(tell(logAfter(log.notes(now)), delivered(2, 86, '2026-11-22 09:31:00', true, 2)), [])
  })

  it('counts a time far in the future as now, so that the next disarm ends its alarm', () => {
    const due = tell(
      logAfter(),
      delivered(1, 2, '2041-11-22 09:30:00'),
      delivered(2, 89, '2026-11-22 10:00:01'),
    )
    assert.deepEqual(
      due.map(({ incident: { status, since } }) => [status, since]),
      [['closed', now]],
    )
  })

  it('tells an alarm as open if the clock of the machine was put back by a month after the latest disarm', () => {
    const log = logAfter()
    tell(log, delivered(1, 2, '2026-11-22 09:10:00'), delivered(2, 89, '2026-11-22 09:20:00'))
    const past = now - 30 * 24 * 3_600_000
    log.addEvents([delivered(3, 2, '2026-11-22 09:30:00')], { ...context, readAt: past })
    const [before, after] = log.views(bundled, past)
    assert.deepEqual([before?.status, before?.until], ['closed', Date.parse('2026-11-22T09:20:00Z')])
    assert.deepEqual([after?.status, after?.since], ['open', past])
  })

  it('ends an alarm by a disarm in the second pass of the hour that the clocks repeat', () => {
    const list = [delivered(1, 2, '2026-10-25 02:55:00'), delivered(2, 89, '2026-10-25 02:05:00')]
    const timeZone = 'Europe/Berlin'
    const marked = withRepeatedHour(
      list.map(({ event }) => event),
      timeZone,
    )
    const deliveries = list.map((one, index) => ({ ...one, event: marked[index] ?? one.event }))
    const log = logAfter()
    log.addEvents(deliveries, { ...context, timeZone })
    assert.deepEqual(
      log.due(bundled, now).map(({ incident }) => incident.status),
      ['closed'],
    )
  })

  it('tells nothing of the first list that was over then, and all that comes later, whatever its time', () => {
    const log = logAfter()
    const first = [delivered(1, 2, '2026-11-22 09:30:00'), delivered(2, 89, '2026-11-22 09:40:00')]
    assert.deepEqual(tell(log, ...first.map((one) => ({ ...one, isOfFirstRun: true }))), [])
    const later = tell(log, delivered(3, 2, '2000-01-01 00:00:01'), delivered(4, 89, '2000-01-01 00:01:00'))
    assert.deepEqual(
      later.map(({ incident }) => incident.status),
      ['closed'],
    )
  })

  it('goes on from notes that do not say when events became known, without telling anything again', () => {
    const log = logAfter()
    const old = [delivered(1, 2, '2026-11-22 07:30:00'), delivered(2, 89, '2026-11-22 07:40:00')]
    tell(log, ...old.map((one) => ({ ...one, isOfFirstRun: true })), delivered(3, 2, '2026-11-22 09:30:00'))
    const notes = log.notes(now).replace(/"(readAt|isPast)":\w+,/g, '')
    assert.doesNotMatch(notes, /readAt|isPast/)
    const next = logAfter(notes)
    assert.deepEqual(tell(next), [])
    const [closed, ...others] = tell(next, delivered(4, 89, '2026-11-22 09:50:00'))
    assert.deepEqual([closed?.incident.status, others.length], ['closed', 0])
    assert.equal(tell(next, delivered(5, 2, '2026-11-22 09:55:00'))[0]?.incident.status, 'open')
  })

  it('knows what has ended an alarm also while the types that only the service has cannot be read', () => {
    const type = bundled.get(1) ?? assert.fail()
    const own = new Map(bundled)
      .set(5000, { ...type, typeId: 5000, contactId: '1139' })
      .set(5001, { ...type, typeId: 5001, contactId: '3139', group: 'EP_RESTORE' })
    const log = logAfter()
    log.addEvents(
      [
        delivered(1, 89, '2026-11-22 09:20:00'),
        delivered(2, 5000, '2026-11-22 09:30:00'),
        delivered(3, 5000, '2026-11-22 09:30:05'),
        delivered(4, 5001, '2026-11-22 09:40:00'),
      ],
      { ...context, catalogue: own },
    )
    const due = log.due(own, now)
    assert.deepEqual(
      due.map(({ incident }) => incident.status),
      ['closed'],
    )
    log.noteTold(due)
    const next = logAfter(log.notes(now))
    assert.deepEqual(next.due(bundled, now), [])
    const later = tell(next, delivered(5, 5000, '2026-11-22 09:50:00'))
    assert.deepEqual(
      later.map(({ incident }) => [incident.status, incident.kind]),
      [['open', 'burglary']],
    )
    assert.deepEqual(logAfter(next.notes(now)).due(own, now), [])
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

  it('tells nothing if title, summary, status and timeline are as before', () => {
    const log = logAfter()
    const opened = tell(log, delivered(1, 2, '2026-11-22 09:30:00'))
    assert.deepEqual(
      opened.map(({ news, late }) => [news, late]),
      [['alarm', false]],
    )
    // It changes who armed, but a summary names nobody without a name.
    const arming = delivered(2, 86, '2026-11-22 09:20:00')
    const unnamed = { ...arming, event: { ...arming.event, appointment: '' } }
    assert.deepEqual(tell(log, unnamed), [])
    const [named] = tell(log, delivered(3, 86, '2026-11-22 09:21:00'))
    assert.deepEqual([named?.news, named?.incident.armedBy?.name], ['detail', 'Tom'])
    // A later second of the same minute.
    assert.deepEqual(tell(log, delivered(4, 86, '2026-11-22 09:21:30')), [])
    // The list of alarms has shown it: nothing that is told depends on that.
    assert.equal(readAlarms(log, [listed]), true)
    assert.deepEqual(log.due(bundled, now), [])
  })

  it('rings again after a kill if the message that may be lost would have rung, also with more to tell', () => {
    const log = logAfter()
    const alarm = (redelivered: boolean) => delivered(1, 2, '2026-11-22 09:30:00', redelivered)
    tell(log, alarm(false))
    const notes = log.notes(now)
    const again = (...more: DeliveredEvent[]) =>
      tell(logAfter(notes), alarm(true), ...more).map(({ news, redelivered }) => [news, redelivered])
    assert.deepEqual(again(), [['alarm', true]])
    assert.deepEqual(again(delivered(2, 16, '2026-11-22 09:40:00')), [['alarm', true]])
    assert.deepEqual(again(delivered(2, 31, '2026-11-22 09:40:00')), [['over', true]])
  })

  it('tells as late what was over before anything was told of it, also when it is told again', () => {
    const log = logAfter()
    const events = (redelivered: boolean) => [
      delivered(1, 2, '2026-11-22 09:30:00', redelivered),
      delivered(2, 31, '2026-11-22 09:40:00', redelivered),
    ]
    const flags = (due: ReturnType<typeof tell>) => due.map(({ news, late }) => [news, late])
    assert.deepEqual(flags(tell(log, ...events(false))), [['over', true]])
    assert.deepEqual(flags(tell(logAfter(log.notes(now)), ...events(true))), [['over', true]])
    assert.deepEqual(flags(tell(log, delivered(3, 2, '2026-11-22 09:39:00'))), [['alarm', false]])
  })

  it('tells nothing quiet after the end, but the alarm that becomes known then', () => {
    const log = logAfter()
    const ended = [delivered(1, 2, '2026-11-22 09:30:00'), delivered(2, 89, '2026-11-22 09:40:00')]
    tell(log, ...ended)
    assert.deepEqual(tell(log, delivered(3, 20, '2026-11-22 09:40:20')), [])
    assert.deepEqual(tell(log, delivered(4, 31, '2026-11-22 09:40:30')), [])
    const late = delivered(5, 2, '2026-11-22 09:39:00')
    const further = { ...late, event: { ...late.event, zone: 4, zone_name: 'Cellar' } }
    const [told, ...others] = tell(log, further)
    assert.deepEqual([told?.news, told?.incident.status, told?.incident.zones.length], ['alarm', 'closed', 2])
    assert.equal(others.length, 0)
  })

  describe('of which all is restored', () => {
    const armed = delivered(1, 86, '2026-11-22 09:20:00')
    const alarm = delivered(2, 2, '2026-11-22 09:59:00')
    const restored = delivered(3, 20, '2026-11-22 09:59:30')
    const rung = () => {
      const log = logAfter()
      assert.equal(tell(log, armed, alarm)[0]?.news, 'alarm')
      assert.deepEqual(tell(log, restored), [])
      return log
    }
    const newsAt = (log: IncidentReport, at: number) => log.due(bundled, at).map(({ news }) => news)

    it('waits 20 seconds for its end, so that both are one message', () => {
      const log = rung()
      assert.deepEqual(newsAt(log, now + 19_000), [])
      const due = tell(log, delivered(4, 89, '2026-11-22 10:00:00'))
      assert.deepEqual(
        due.map(({ news, incident }) => [news, incident.zones[0]?.restored]),
        [['over', Date.parse('2026-11-22T09:59:30Z')]],
      )
    })

    it('is told if no end follows, also if the clock of the machine was put back', () => {
      const log = rung()
      assert.deepEqual(newsAt(log, now + 20_000), ['restore'])
      assert.deepEqual(newsAt(log, now - 3_600_000), [])
      assert.deepEqual(newsAt(log, now - 3_600_000 + 20_000), ['restore'])
    })

    it('rings when it begins again in the meantime', () => {
      const log = rung()
      const again = delivered(4, 2, '2026-11-22 09:59:45')
      assert.deepEqual(
        tell(log, again).map(({ news }) => news),
        ['zone'],
      )
    })
  })

  it('waits 20 seconds for the event of a disarm that the list of alarms tells first', () => {
    const log = logAfter()
    const list = (alarms: ActiveAlarm[]) => readAlarms(log, alarms)
    tell(log, delivered(1, 86, '2026-11-22 09:20:00'), delivered(2, 2, '2026-11-22 09:30:00'))
    list([listed])
    list([])
    const newsAt = (at: number) =>
      log.due(bundled, at).map(({ news, incident }) => [news, incident.disarmedBy?.name])
    assert.deepEqual(
      [log.views(bundled, now)[0]?.status, newsAt(now), newsAt(now + 19_000)],
      ['closed', [], []],
    )
    assert.deepEqual(newsAt(now + 20_000), [['over', undefined]])
    log.addEvents([delivered(3, 89, '2026-11-22 09:59:59')], context)
    assert.deepEqual(newsAt(now + 2_000), [['over', 'Tom']])
  })

  it('waits 20 seconds for the end of an alarm of which a disarm is known, but not for a threat', () => {
    const log = logAfter()
    tell(log, delivered(1, 86, '2026-11-22 09:20:00'), delivered(2, 2, '2026-11-22 09:59:00'))
    readAlarms(log, [listed])
    assert.deepEqual(tell(log, delivered(3, 89, '2026-11-22 10:00:00')), [])
    const newsAt = (at: number) =>
      log.due(bundled, at).map(({ news, incident }) => [news, incident.status, incident.disarmedBy?.name])
    assert.deepEqual([newsAt(now + 19_000), newsAt(now + 20_000)], [[], [['detail', 'open', 'Tom']]])
    assert.equal(tell(log, delivered(4, 15, '2026-11-22 10:00:01'))[0]?.news, 'detail')
  })

  it('repeats flagged and loud that the contact is lost, if the process is killed before that is sent', () => {
    const log = logAfter()
    readContact(log, true)
    assert.equal(readContact(log, false), true)
    const due = log.due(bundled, now)
    assert.deepEqual(
      due.map(({ news, incident }) => [news, incident.kind, incident.status]),
      [['contact', 'contact', 'open']],
    )
    // The notes before the message.
    const next = logAfter(log.notes(now, due))
    assert.deepEqual(next.due(bundled, now), [{ ...due[0], redelivered: true }])
    next.noteTold(next.due(bundled, now))
    assert.deepEqual(next.due(bundled, now), [])
    assert.equal(readContact(next, false), false)
  })
})

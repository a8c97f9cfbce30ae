import assert from 'node:assert/strict'
import { device, panelDevices, partitionState } from '../../../harness/fixtures/samples.ts'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import { day, hour, minute } from '../../../src/duration.ts'
import {
  type ConditionBook,
  newBook,
  withAlarms,
  withDevices,
  withEvents,
  withoutDevices,
  withState,
} from '../../../src/panel/conditions/condition-book.ts'
import { notedConditions, notesOf } from '../../../src/panel/conditions/condition-report.ts'
import type { RunningAlarm } from '../../../src/panel/incidents/running-alarms.ts'
import type { StoryEvent } from '../../../src/panel/incidents/story-event.ts'
import type { ActiveAlarm } from '../../../src/panel/state/partition-state.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const start = Date.parse('2026-11-22T12:00:00Z')
const at = (now: number) => ({ catalogue: bundled, now: start + now })
const zone = (number: number, ...warnings: string[]) =>
  device({
    id: number,
    device_number: number,
    name: `Zone ${number}`,
    warnings: warnings.map((type) => ({ type, severity: 'TROUBLE', in_memory: type.endsWith('_MEMORY') })),
  })
const devices =
  (now: number, ...listed: ReturnType<typeof zone>[]) =>
  (book: ConditionBook) =>
    withDevices(book, panelDevices(listed), at(now))
const event = (typeId: number, time: number, fields: Partial<StoryEvent> = {}) =>
  storyEventOf(typeId, start + time, fields)
const events =
  (now: number, ...some: StoryEvent[]) =>
  (book: ConditionBook) =>
    withEvents(book, some, at(now))
const state =
  (now: number, online: boolean | null, alarms: ActiveAlarm[] = []) =>
  (book: ConditionBook) =>
    withState(book, stateOf(online, alarms), at(now))
const stateOf = (online: boolean | null, alarms: ActiveAlarm[] = [], hasAll = true) => {
  return {
    ...{ online, partitions: [partitionState({ alarms })] },
    ...{ hasAllPartitions: hasAll, hasAllAlarms: hasAll },
  }
}
const alarm: ActiveAlarm = {
  type: 'ALARM_IN_MEMORY',
  inMemory: true,
  deviceType: 'ZONE',
  zone: 1,
  zoneName: 'Hall',
  location: '',
  partitions: [1],
  time: new Date(start - hour).toISOString(),
  timeRaw: '',
}
const bookAfter = (...steps: ((book: ConditionBook) => ConditionBook)[]) =>
  steps.reduce((book, step) => step(book), newBook(start))
const shown = ({ conditions }: ConditionBook) => conditions.map(({ id, since }) => [id, since - start])
const panel = { zone: 0, zoneName: '', deviceType: 'CONTROL_PANEL' }

describe('The conditions of a panel', () => {
  it('have that the panel is offline also if each of 120 zones has three conditions', () => {
    const numbers = Array.from({ length: 120 }, (_, at) => at + 1)
    const warnings = ['OPENED', 'TAMPER', 'LOW_BATTERY'].map((type) => ({
      type,
      severity: 'TROUBLE',
      in_memory: false,
    }))
    const zones = numbers.map((number) => ({ ...zone(number), warnings }))
    const { conditions } = bookAfter(devices(0, ...zones), state(minute, false), state(2 * minute, false))
    const kinds = new Set(conditions.map(({ kind }) => kind))
    assert.deepEqual(kinds, new Set(['open', 'tamper', 'battery', 'offline']))
  })

  it('are those that the list of devices shows, each with its kind', () => {
    const book = bookAfter(
      devices(
        0,
        zone(1, 'OPENED', 'LOW_BATTERY'),
        zone(2, 'TAMPER'),
        zone(3, 'INACTIVE'),
        zone(4, 'MASKING_TROUBLE'),
      ),
    )
    assert.deepEqual(
      book.conditions.map(({ id }) => id),
      ['battery ZONE 1', 'open ZONE 1', 'tamper ZONE 2', 'lost ZONE 3', 'trouble ZONE 4 MASKING_TROUBLE'],
    )
    assert.deepEqual(book.conditions.at(-1)?.what, 'masking trouble')
    const siren = { ...zone(5, 'OPENED'), device_type: 'WL_SIREN' }
    assert.deepEqual(shown(bookAfter(devices(0, siren))), [], 'only a zone is open')
  })

  // @spec 2.10
  it('are none of a zone that has not joined the panel, and no silence of one that is rarely used', () => {
    const listed = (fields: object) => ({ ...zone(1, 'INACTIVE', 'LOW_BATTERY'), ...fields })
    const ids = (fields: object) => bookAfter(devices(0, listed(fields))).conditions.map(({ id }) => id)
    assert.deepEqual(ids({}), ['lost ZONE 1', 'battery ZONE 1'])
    assert.deepEqual(ids({ preenroll: true }), [])
    const traits = { ...zone(1).traits, rarely_used: { enabled: true } }
    assert.deepEqual(ids({ traits }), ['battery ZONE 1'])
  })

  it('begin with their event, also if it becomes known first, and the key of a late event is added', () => {
    const low = event(45, -5 * minute)
    const early = bookAfter(devices(-minute, zone(1)), events(0, low), devices(0, zone(1, 'LOW_BATTERY')))
    assert.deepEqual(shown(early), [['battery ZONE 1', -5 * minute]])
    assert.equal(early.conditions[0]?.eventKey, low.key)
    const late = bookAfter(devices(0, zone(1, 'LOW_BATTERY')), events(minute, low))
    assert.deepEqual(shown(late), [['battery ZONE 1', 0]])
    assert.equal(late.conditions[0]?.eventKey, low.key)
  })

  it('are one of the event and of the warning that mean the same trouble, with the begin of the event', () => {
    const meanings = [
      ...([
        [47, 'AC_FAILURE'],
        [58, 'FUSE'],
        [51, 'JAMMED'],
        [53, 'COMM_FAILURE'],
        [55, 'LINE_FAILURE'],
      ] as const),
      ...([
        [69, 'CLEAN_ME'],
        [120, 'MASKING_TROUBLE'],
        [121, 'MASKING_TROUBLE'],
        [132, '1_WAY'],
      ] as const),
      ...([[149, 'HEAT_TROUBLE']] as const),
    ]
    for (const [typeId, warning] of meanings) {
      const book = bookAfter(
        devices(0, zone(1)),
        events(0, event(typeId, 0)),
        devices(minute, zone(1, warning)),
      )
      assert.deepEqual(shown(book), [[`trouble ZONE 1 ${warning}`, 0]])
    }
  })

  it('do not begin before now, though the clock of the panel is ahead', () => {
    assert.deepEqual(shown(bookAfter(devices(0, zone(1)), events(0, event(47, hour, panel)))), [
      ['trouble panel AC_FAILURE', 0],
    ])
  })

  // @spec condition-sources
  it('are over when the list no longer shows them, whether a restore comes or not', () => {
    const book = bookAfter(
      devices(0, zone(1)),
      events(0, event(45, 0)),
      devices(minute, zone(1, 'LOW_BATTERY')),
      devices(2 * minute, zone(1)),
    )
    assert.deepEqual(shown(book), [])
    // The next one begins anew.
    assert.deepEqual(shown(devices(hour, zone(1, 'LOW_BATTERY'))(book)), [['battery ZONE 1', hour]])
  })

  it('take over the event that began them if it became known a moment ago, whatever the clock of the panel says', () => {
    for (const offset of [-2 * hour, 0, 2 * hour]) {
      const low = event(45, offset, { readAt: start })
      const book = bookAfter(
        events(0, low),
        devices(minute, zone(1)),
        devices(5 * minute, zone(1, 'LOW_BATTERY')),
      )
      assert.equal(book.conditions[0]?.eventKey, low.key)
      const late = bookAfter(
        events(0, low),
        devices(11 * minute, zone(1)),
        devices(12 * minute, zone(1, 'LOW_BATTERY')),
      )
      assert.equal(late.conditions[0]?.eventKey, null)
    }
  })

  it('do not take over the begin of an event whose end was never told, and which no list has shown', () => {
    const book = bookAfter(devices(0, zone(1)), events(0, event(45, 0)), devices(11 * minute, zone(1)))
    assert.deepEqual(shown(devices(day, zone(1, 'LOW_BATTERY'))(book)), [['battery ZONE 1', day]])
  })

  it('are told by events where no list decides, and end with the restore, also one that comes first', () => {
    const fails = [event(47, 0, panel), event(48, hour, panel)] as const
    const open = bookAfter(devices(0, zone(1)), events(0, fails[0]))
    assert.deepEqual(shown(open), [['trouble panel AC_FAILURE', 0]])
    assert.deepEqual(shown(events(hour, fails[1])(open)), [])
    assert.deepEqual(
      shown(bookAfter(devices(0, zone(1)), events(hour, fails[1]), events(hour, fails[0]))),
      [],
    )
  })

  it('that only time ends are over with the next list, though no event comes', () => {
    const book = bookAfter(devices(0, zone(1)), events(0, event(105, 0, panel)))
    assert.equal(shown(devices(hour - 1, zone(1))(book)).length, 1)
    assert.deepEqual(shown(devices(hour, zone(1))(book)), [])
  })

  it('are told by events alone if the service has no list of devices, and never before this is known', () => {
    const unknown = bookAfter(events(0, event(45, 0)))
    assert.deepEqual(shown(unknown), [])
    assert.deepEqual(shown(withoutDevices(unknown, at(0))), [['battery ZONE 1', 0]])
  })

  it('do not contain an old alert of the first list, whose end may no longer be listed', () => {
    const old = event(47, -8 * day, { ...panel, isPast: true })
    assert.deepEqual(shown(bookAfter(events(0, old), devices(0, zone(1)))), [])
  })

  it('contain a later alert, although the clock of the machine is far ahead of its time', () => {
    const book = bookAfter(events(0), devices(0, zone(1)), events(minute, event(47, -30 * day, panel)))
    assert.deepEqual(shown(book), [['trouble panel AC_FAILURE', -30 * day]])
  })

  it('contain no alarm and no mere remark, but a tamper', () => {
    const book = withoutDevices(
      bookAfter(events(0, event(1, 0), event(36, 0), event(68, 0), event(8, 0))),
      at(0),
    )
    assert.deepEqual(shown(book), [['tamper ZONE 1', 0]])
  })

  it('contain an offline panel by its state, by events only if the state does not say', () => {
    const offline = event(998, 0, panel)
    assert.deepEqual(shown(bookAfter(devices(0, zone(1)), state(0, true), events(minute, offline))), [])
    const told = bookAfter(devices(0, zone(1)), events(0, offline), state(minute, false))
    assert.deepEqual(shown(told), [['offline', 0]])
    assert.deepEqual(shown(state(hour, true)(told)), [])
    const silent = bookAfter(devices(0, zone(1)), state(0, null), events(minute, offline))
    assert.deepEqual(shown(silent), [['offline', 0]])
    // It is the panel that is offline, whatever zone the event names.
    const [ofZone] = bookAfter(devices(0, zone(1)), state(0, null), events(0, event(998, 0))).conditions
    assert.deepEqual([ofZone?.zone, ofZone?.name], [null, ''])
  })

  it('contain an alarm in memory with its time, once though devices show it too', () => {
    const book = bookAfter(
      state(0, true, [alarm, { ...alarm, zone: 2, inMemory: false }]),
      devices(0, zone(1, 'ALARM_IN_MEMORY')),
    )
    assert.deepEqual(shown(book), [['memory ZONE 1', -hour]])
    assert.deepEqual(shown(state(0, true)(book)), [['memory ZONE 1', -hour]])
    assert.deepEqual(shown(bookAfter(() => book, state(0, true), devices(0, zone(1)))), [])
  })

  it('contain a device that is gone for a week, also in a process that never saw it', () => {
    const gone = bookAfter((book) => withDevices(book, panelDevices([zone(1)], { gone: [zone(2)] }), at(0)))
    assert.deepEqual(shown(gone), [['lost ZONE 2 gone', 0]])
    assert.equal(gone.conditions[0]?.says, 'gone')
    assert.deepEqual(shown(devices(6 * day, zone(1))(gone)), [['lost ZONE 2 gone', 0]])
    assert.deepEqual(shown(devices(8 * day, zone(1))(gone)), [])
    assert.deepEqual(shown(devices(day, zone(1), zone(2))(gone)), [])
  })

  it('contain a device that is gone for a week since it went, however long it was silent before', () => {
    const silent = bookAfter(
      devices(0, zone(1), zone(2, 'INACTIVE')),
      devices(10 * day, zone(1), zone(2, 'INACTIVE')),
    )
    assert.deepEqual(shown(silent), [['lost ZONE 2', 0]])
    const gone = withDevices(silent, panelDevices([zone(1)], { gone: [zone(2)] }), at(10 * day))
    assert.deepEqual(shown(gone), [['lost ZONE 2 gone', 10 * day]])
    assert.deepEqual(shown(devices(16 * day, zone(1))(gone)), [['lost ZONE 2 gone', 10 * day]])
    assert.deepEqual(shown(devices(18 * day, zone(1))(gone)), [])
  })

  it('stay, with their begins, while only one list lacks their device', () => {
    const open = bookAfter(devices(0, zone(1, 'OPENED', 'TAMPER'), zone(2)))
    const held = panelDevices([zone(2)], { held: [zone(1, 'OPENED', 'TAMPER')] })
    const before = shown(open)
    assert.deepEqual(shown(withDevices(open, held, at(minute))), before)
    assert.deepEqual(shown(withDevices(open, panelDevices([], { held: [zone(1), zone(2)] }), at(minute))), [])
  })

  it('stay after a restart until a list has their device, or two lists have not', () => {
    const open = bookAfter(devices(0, zone(1, 'OPENED'), zone(2)))
    const stays = (listed: ReturnType<typeof zone>[], hasAll: boolean) =>
      shown(withDevices(open, panelDevices(listed, { hasAll }), at(hour)))
    assert.deepEqual(stays([zone(2)], false), [['open ZONE 1', 0]])
    assert.deepEqual(stays([], false), [['open ZONE 1', 0]])
    assert.deepEqual(stays([zone(1), zone(2)], false), [])
    assert.deepEqual(stays([zone(2)], true), [])
  })

  it('are none of an inactivity 72 hours after its event, though nobody arms, and until an arming before that', () => {
    const read = (now: number) => shown(bookAfter(devices(0), events(0, event(38, 0)), devices(now)))
    const told = [['trouble ZONE 1 event 38', 0]]
    assert.deepEqual(read(3 * day - minute), told)
    assert.deepEqual(read(3 * day + minute), [])
    const armed = bookAfter(devices(0), events(0, event(38, 0)), events(hour, event(86, hour)))
    assert.deepEqual(shown(armed), [])
  })

  // @spec 2.10, soak-test
  it('of a zone that is bypassed or in a soak test stay after a restart while lists show it without any trait', () => {
    const zoneWith = (traits: object) => device({ id: 1, device_number: 1, traits })
    const both = (enabled: boolean) => ({ bypass: { enabled }, soak: { enabled } })
    const begun = bookAfter((book) => withDevices(book, panelDevices([zoneWith(both(true))]), at(0)))
    const stays = (traits: object, fields: object) =>
      shown(withDevices(begun, panelDevices([zoneWith(traits)], { hasAll: false, ...fields }), at(hour)))
    const all = [
      ['bypassed ZONE 1', 0],
      ['soak ZONE 1', 0],
    ]
    assert.deepEqual(stays({}, {}), all)
    assert.deepEqual(stays(both(false), {}), [])
    // The devices of an offline panel are those of before.
    assert.deepEqual(stays(both(false), { isCurrent: false }), all)
  })

  it('that the state has shown stay until it says something about them, or two answers do not', () => {
    const inMemory = { ...alarm, inMemory: true, type: 'ALARM_IN_MEMORY' }
    const both = bookAfter(state(0, false, [inMemory]))
    const before = [
      ['offline', 0],
      ['memory ZONE 1', -hour],
    ]
    assert.deepEqual(shown(both), before)
    const stays = (online: boolean | null, hasAll: boolean) =>
      shown(withState(both, stateOf(online, [], hasAll), at(hour)))
    assert.deepEqual(stays(null, false), before)
    assert.deepEqual(stays(true, false), [['memory ZONE 1', -hour]])
    assert.deepEqual(stays(null, true), [])
  })

  it('contain the loss of the contact with an armed panel, until it is back', () => {
    const contact = (contactLostAt: number | null) => (book: ConditionBook) =>
      withAlarms(book, { alarms: [], contactLostAt, areAll: true }, at(hour))
    const lost = bookAfter(contact(start + minute))
    assert.deepEqual(shown(lost), [['alarm contact', minute]])
    assert.deepEqual(shown(contact(null)(lost)), [])
  })

  it('stay, with their begins, while what shows alarms is not read after a restart', () => {
    const running: RunningAlarm = {
      ...{ kind: 'burglary', deviceType: 'ZONE', zone: 1, name: '', partitions: [1] },
      ...{ since: start, eventKey: null },
    }
    const withRunning = (book: ConditionBook, alarms: RunningAlarm[], areAll: boolean) =>
      withAlarms(book, { alarms, contactLostAt: null, areAll }, at(hour))
    const begun = withRunning(bookAfter(), [running], true)
    assert.deepEqual(shown(begun), [['alarm ZONE 1', 0]])
    assert.deepEqual(shown(withRunning(begun, [], false)), shown(begun))
    const other = { ...running, zone: 2, since: start + minute }
    assert.deepEqual(shown(withRunning(begun, [other], false)), [
      ['alarm ZONE 1', 0],
      ['alarm ZONE 2', minute],
    ])
    assert.deepEqual(shown(withRunning(begun, [], true)), [])
  })

  it('are the same object if nothing has changed, so that nothing is written', () => {
    const fails = event(47, 0, panel)
    const book = bookAfter(devices(0, zone(1, 'OPENED')), events(0, fails), state(0, true))
    const again = [devices(minute, zone(1, 'OPENED')), events(minute, event(89, 0)), state(minute, true)]
    assert.equal(again[0]?.(book), book)
    assert.equal(again[2]?.(book), book)
    assert.equal(events(minute)(book), book)
    assert.equal(events(minute, fails)(book), book)
  })
})

describe('A lost way to the service', () => {
  const lines = (now: number, broadband: boolean | null, mobile: boolean | null) => (book: ConditionBook) => {
    const online = broadband === true || mobile === true
    return withState(book, { ...stateOf(online), transports: { broadband, mobile } }, at(now))
  }

  it('is a condition while another one works, with its begin, until it works again', () => {
    const both = lines(0, true, true)
    const lost = bookAfter(both, lines(minute, false, true))
    assert.deepEqual(shown(lost), [['line broadband', minute]])
    assert.deepEqual(shown(lines(hour, false, true)(lost)), [['line broadband', minute]])
    assert.deepEqual(shown(lines(hour, true, true)(lost)), [])
    assert.deepEqual(shown(bookAfter(both, lines(minute, true, false))), [['line mobile', minute]])
  })

  it('is none if that way has never worked: the panel has no SIM card', () => {
    assert.deepEqual(shown(bookAfter(lines(0, true, false), lines(minute, true, false))), [])
  })

  it('does not end while the panel is offline, nor by an answer that does not speak of it', () => {
    const lost = bookAfter(lines(0, true, true), lines(minute, false, true))
    const ids = (book: ConditionBook) => book.conditions.map(({ id }) => id)
    assert.deepEqual(ids(lines(hour, false, false)(lost)), ['line broadband', 'offline'])
    assert.deepEqual(ids(lines(hour, null, true)(lines(hour - minute, null, true)(lost))), ['line broadband'])
  })

  it('is told from the notes of a process before', () => {
    const notes = JSON.parse(notesOf({ book: bookAfter(lines(0, true, true)), told: [], isUntold: false }))
    const { book } = notedConditions(notes) ?? assert.fail()
    assert.deepEqual(shown(lines(minute, true, false)(book)), [['line mobile', minute]])
    const { lines: _without, ...older } = notes
    assert.deepEqual(notedConditions(older)?.book.lines, [])
  })
})

describe('What the panel reports of itself', () => {
  const faults =
    (now: number, areAll: boolean, ...types: string[]) =>
    (book: ConditionBook) => {
      const present = types.map((type) => ({ type, since: null }))
      return withDevices(book, panelDevices([zone(1)], { faults: { present, areAll } }), at(now))
    }

  // @spec 2.7
  it('is a condition of the control panel, with the begin of its event, until two lists lack it', () => {
    const begun = bookAfter(
      faults(0, true),
      events(minute, event(47, minute, panel)),
      faults(2 * minute, true, 'AC_FAILURE', 'LOW_BATTERY', 'OPENED', 'TAMPER_MEMORY'),
    )
    assert.deepEqual(shown(begun), [
      ['trouble panel AC_FAILURE', minute],
      ['battery panel', 2 * minute],
    ])
    assert.deepEqual(shown(faults(hour, false)(begun)), shown(begun))
    assert.deepEqual(shown(devices(hour, zone(1))(begun)), shown(begun), 'a poll that has not read it')
    assert.deepEqual(shown(faults(hour, true)(begun)), [])
  })
})

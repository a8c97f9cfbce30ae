import assert from 'node:assert/strict'
import type { Answer } from '../../src/account/answer.ts'
import { day } from '../../src/duration.ts'
import { PanelNews, Situation } from '../../src/panel/situation.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import { type StateView, stateView } from '../../src/panel/state/partition-state.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import type { PanelAlarm } from '../../src/service/responses/alarms.ts'
import type { PanelEvent } from '../../src/service/responses/events.ts'
import { type PanelStatus, status } from '../../src/service/responses/status.ts'
import { parse } from '../../src/service/schema.ts'

const now = Date.parse('2026-11-23T03:12:00Z')
const burglary = { type_id: 2, zone: 2, zone_name: 'Kitchen window', device_type: 'ZONE' }

/** Returns an event at a time of the day, or at a time. */
function event(fields: Partial<PanelEvent>, time: string, id: number): PanelEvent {
  const datetime = time.length > 8 ? time : `2026-11-23 ${time}`
  return {
    event: id,
    type_id: 2,
    label: '',
    description: '',
    datetime,
    appointment: '',
    device_type: 'ZONE',
    zone: null,
    zone_name: '',
    partitions: [1],
    video: false,
    ...fields,
  } as PanelEvent
}

const answer = <T>(value: T, seconds = 0): Answer<T> => ({
  value,
  fetchedAt: now + 1000 * seconds,
  at: 1000 * seconds,
  sentAt: 1000 * seconds,
})

/** Returns a state: AWAY, with these alarms. */
function state(alarms: Partial<PanelAlarm>[], seconds = 0, partition: object = {}): Snapshot<StateView> {
  const read = {
    connected: true,
    connected_status: {},
    partitions: [{ id: 1, state: 'AWAY', status: '', ready: true, options: [], ...partition }],
  }
  const parsed = parse(status, read)?.value as PanelStatus
  const full = alarms.map((one) => ({
    alarm_type: 'BURGLER',
    device_type: 'ZONE',
    datetime: '2026-11-23 03:11:50',
    has_video: false,
    evt_id: null,
    location: '',
    partitions: [1],
    zone: 2,
    zone_name: 'Kitchen window',
    zone_type: '',
    ...one,
  }))
  const view = { ...stateView(parsed, full, null, 'UTC'), hasAllAlarms: true }
  return { ...answer(0, seconds), view, validFor: 90_000 }
}

describe('The situation of a panel', () => {
  let situation: Situation
  const places = () => situation.facts.alarms.map(({ kind, name }) => `${kind}: ${name}`)
  const read = (...events: PanelEvent[]) => situation.noteEvents(answer(events), bundled)

  beforeEach(() => {
    situation = new Situation('A1B2C3', 'UTC')
  })

  it('has an alarm that the list of alarms shows as active, with the kind of its word', () => {
    situation.noteState(state([{}]))
    assert.deepEqual(places(), ['burglary: Kitchen window'])
    situation.noteState(state([{ alarm_type: 'ALARM_IN_MEMORY' }], 30))
    assert.deepEqual(places(), [])
    situation.noteState(state([{ alarm_type: 'SOMETHING_ELSE' }], 60))
    assert.deepEqual(places(), ['alarm: Kitchen window'])
  })

  it('has an alarm of the events until it is disarmed, and each place once', () => {
    read(event(burglary, '03:11:50', 7))
    situation.noteState(state([{}]))
    assert.deepEqual(places(), ['burglary: Kitchen window'])
    assert.equal(situation.facts.alarms[0]?.eventKey, 'A1B2C3-7-2-2026-11-23 03:11:50')
    situation.noteState(state([], 30))
    read(event(burglary, '03:11:50', 7), event({ type_id: 89 }, '03:12:10', 8))
    assert.deepEqual(places(), [])
  })

  it('keeps an alarm that was restored while the partition is armed, however long ago it was armed', () => {
    const armed = event({ type_id: 86, device_type: 'USER' }, '2026-11-13 22:00:00', 1)
    read(armed, event(burglary, '03:11:50', 7), event({ ...burglary, type_id: 20 }, '03:11:55', 8))
    assert.deepEqual(places(), ['burglary: Kitchen window'])
  })

  it('has no alarm that was restored before the first list, and before answers show an arming that no event tells', () => {
    const restored = [event(burglary, '02:40:00', 7), event({ ...burglary, type_id: 20 }, '03:00:00', 8)]
    const armedSince = (time: string) => [{ id: 1, since: Date.parse(`2026-11-23T${time}Z`) }]
    situation.noteEvents(answer(restored), bundled, armedSince('03:07:00'))
    assert.deepEqual(places(), [])
    situation = new Situation('A1B2C3', 'UTC')
    situation.noteEvents(answer(restored), bundled, armedSince('02:59:00'))
    assert.deepEqual(places(), ['burglary: Kitchen window'], 'armed at its restore')
  })

  it('leaves out an alarm of a day or more before the first list, whose end may be lost', () => {
    const others = [event({ type_id: 85 }, '03:11:00', 9)]
    read(event(burglary, '2026-11-22 03:12:00', 7), ...others)
    assert.deepEqual(places(), [])
    situation = new Situation('A1B2C3', 'UTC')
    read(event(burglary, '2026-11-22 03:12:01', 7), ...others)
    assert.deepEqual(places(), ['burglary: Kitchen window'])
  })

  it('leaves out such an alarm also if it has no time of its own, and a later list shows it before a new event', () => {
    const old = [event({ type_id: 85 }, '2026-11-20 03:00:00', 6), event(burglary, '0000-00-00 00:00:00', 7)]
    read(...old)
    situation.noteEvents(answer(old, 60), bundled)
    const [, undated] = old as [PanelEvent, PanelEvent]
    situation.noteEvents(answer([undated, event({ type_id: 85 }, '03:15:00', 8)], 240), bundled)
    assert.deepEqual(places(), [])
  })

  it('has an alarm that comes later, also of a panel whose clock is a month behind', () => {
    const old = event(burglary, '2026-10-21 03:11:50', 7)
    const later = event({ ...burglary, zone: 3, zone_name: 'Bedroom window' }, '2026-10-23 03:11:50', 8)
    read(old)
    situation.noteEvents(answer([old], 60), bundled)
    situation.noteEvents(answer([old, later], 120), bundled)
    assert.deepEqual(places(), ['burglary: Bedroom window'])
  })

  it('has an alarm no longer after a disarm that is read while the clock of the machine is a month behind', () => {
    const alarm = event(burglary, '03:11:50', 7)
    read(alarm)
    situation.noteEvents(answer([alarm], 60), bundled)
    const disarm = event({ type_id: 89, device_type: 'USER' }, '03:13:30', 8)
    situation.noteEvents({ ...answer([alarm, disarm], 120), fetchedAt: now - 30 * day }, bundled)
    assert.deepEqual(places(), [])
  })

  it('has alarms since whole milliseconds, which a node can note, also while the clock of the machine is behind', () => {
    const fetchedAt = now - 30 * day + 0.4
    situation.noteEvents({ ...answer([]), fetchedAt }, bundled)
    situation.noteEvents({ ...answer([event(burglary, '03:11:50', 7)], 60), fetchedAt }, bundled)
    assert.deepEqual(
      situation.facts.alarms.map(({ since }) => since),
      [now - 30 * day],
    )
  })

  it('has no alarm again that the list of alarms has ended, when a later one opens its incident again', () => {
    const kitchen = event(burglary, '03:11:50', 7)
    const bedroom = { zone: 3, zone_name: 'Bedroom window' }
    const isOver = { alarm_type: 'ALARM_IN_MEMORY' }
    read(kitchen)
    situation.noteState(state([{}]))
    situation.noteState(state([isOver], 30))
    situation.noteEvents(answer([kitchen, event({ ...burglary, ...bedroom }, '03:13:00', 8)], 60), bundled)
    assert.deepEqual(places(), ['burglary: Bedroom window'])
    const active = { ...bedroom, datetime: '2026-11-23 03:13:00' }
    situation.noteState(state([isOver, active], 90))
    assert.deepEqual(places(), ['burglary: Bedroom window'])
    situation.noteState(state([{}, active], 120))
    assert.deepEqual(places(), ['burglary: Kitchen window', 'burglary: Bedroom window'], 'it is active again')
    situation.noteState(state([isOver, { ...active, ...isOver }], 150))
    assert.deepEqual(places(), [])
  })

  it('has no threat, neither of the events nor of the list of alarms', () => {
    read(event({ type_id: 15, device_type: 'USER', zone: 1 }, '03:11:50', 7))
    const threatened = state([{ alarm_type: 'DURESS', zone: 1 }])
    situation.noteState(threatened)
    assert.deepEqual([places(), threatened.view.partitions[0]?.value], [[], 'AWAY'])
  })

  it('has a contact that is lost while a partition is armed, from the second answer of a new process, until it is back', () => {
    const lostAt = (seconds: number, online: boolean, word = 'AWAY') => {
      situation.noteState(state([], seconds, { state: word }), online)
      const { contactLostAt } = situation.facts
      return contactLostAt && contactLostAt - now
    }
    assert.equal(lostAt(0, false), null)
    assert.equal(lostAt(30, false), 30_000)
    assert.equal(lostAt(60, false, 'DISARM'), 30_000)
    assert.equal(lostAt(90, true), null)
    assert.equal(lostAt(120, false, 'DISARM'), null)
  })

  it('has what a node remembers until the node is closed', () => {
    read()
    situation.noteState(state([]))
    const alarm = { kind: 'fire', deviceType: 'ZONE', zone: 5, name: 'Landing' } as const
    situation.noteAlarms('n1', [{ ...alarm, partitions: [], since: 0, eventKey: 'old' }])
    assert.deepEqual(places(), ['fire: Landing'])
    situation.forgetAlarms('n1')
    assert.deepEqual(places(), [])
  })

  it('is known once two answers agree on the alarms and two lists of events were read', () => {
    const thin = state([])
    read()
    situation.noteState({ ...thin, view: { ...thin.view, hasAllAlarms: false } })
    situation.noteEvents(answer([], 60), bundled)
    assert.equal(situation.isKnown, false)
    situation.noteState(state([], 30))
    assert.equal(situation.isKnown, true)
    const other = new Situation('A1B2C3', 'UTC')
    other.noteState(state([]))
    other.noteEvents(answer([]), bundled)
    assert.equal(other.isKnown, false)
  })

  it('tells its listeners each change once, and nothing after they have left', () => {
    let told = 0
    const leave = situation.onChange(() => {
      told += 1
    })
    situation.noteState(state([{}]))
    situation.tell()
    situation.tell()
    assert.equal(told, 1)
    leave()
    situation.noteState(state([], 30))
    situation.tell()
    assert.equal(told, 1)
  })

  it('ignores a state that was requested before another one', () => {
    situation.noteState(state([{}], 30))
    situation.noteState(state([], 20))
    assert.deepEqual(places(), ['burglary: Kitchen window'])
  })

  it('has the entry delay before the exit delay, and who is not ready', () => {
    situation.noteState(state([], 0, { state: 'ENTRY_DELAY' }))
    assert.equal(situation.facts.delay, 'ENTRY_DELAY')
    situation.noteState(state([], 30, { state: 'AWAY', status: 'EXIT' }))
    assert.equal(situation.facts.delay, 'ARMING')
    situation.noteState(state([], 60, { state: 'DISARM', ready: false }))
    assert.deepEqual([situation.facts.delay, situation.facts.isUnready], [null, true])
    situation.noteState(state([], 90, { state: 'AWAY', ready: false }))
    assert.equal(situation.facts.isUnready, false)
  })
})

describe('The news of a panel', () => {
  it('have an alarm that the first list with events shows before another one, after two empty lists', () => {
    const news = new PanelNews()
    const events = [event(burglary, '03:11:50', 1), event({ type_id: 86 }, '03:11:55', 2)]
    const told = [[], [], events].map((list, nth) => news.ofEvents(answer(list, 10 * nth), bundled, 'UTC'))
    assert.deepEqual(told, [null, null, 'alarm'])
  })

  it('have a fault of the panel itself, and its end, but no arming that names the panel', () => {
    const newsOf = (...added: PanelEvent[]) => {
      const news = new PanelNews()
      const known = event({}, '03:00:00', 1)
      news.ofEvents(answer([known]), bundled, 'UTC')
      return news.ofEvents(answer([known, ...added], 10), bundled, 'UTC')
    }
    const ofPanel = (type_id: number) => event({ type_id, device_type: 'CONTROL_PANEL' }, '03:01:00', 2)
    assert.deepEqual(
      [47, 48, 51, 52].map((type) => newsOf(ofPanel(type))),
      Array(4).fill('fault'),
    )
    assert.equal(newsOf(ofPanel(173)), 'event')
    assert.equal(newsOf(event({ type_id: 43 }, '03:01:00', 2)), 'event', 'of a detector')
    assert.equal(newsOf(ofPanel(47), event(burglary, '03:01:00', 3)), 'alarm')
  })
})

describe('How late the service lists events', () => {
  /** Returns what is told of events that are listed after some seconds, where the list is read every 10 s. */
  function delayOf(delays: readonly number[], clock: number) {
    const news = new PanelNews()
    const happenings = delays.map((delay, nth) => ({ at: 100 * (nth + 1), delay }))
    const known = event({}, '00:00:00', 0)
    const textOf = (seconds: number) =>
      new Date(now + 1000 * seconds).toISOString().slice(0, 19).replace('T', ' ')
    for (let read = 0; read < 100 * (delays.length + 2); read += 10) {
      const listed = happenings
        .filter(({ at, delay }) => at + delay <= read)
        .map(({ at }) => event({}, textOf(at + clock), at))
      news.ofEvents(answer([known, ...listed], read), bundled, 'UTC')
    }
    return news.eventDelay
  }

  it('is between what was surely lost and what may have been, where the clock of the panel is right', () => {
    assert.deepEqual(delayOf([], 0), null)
    assert.deepEqual(delayOf([3], 0), { least: 0, most: 10_000 })
    assert.deepEqual(delayOf([3, 3, 62, 3, 3], 0), { least: 0, most: 10_000 })
    assert.deepEqual(delayOf([0, 62, 62, 62], 0), { least: 59_000, most: 70_000 })
  })

  it('counts from the event that was listed soonest, whatever the clock of the panel says', () => {
    for (const clock of [-3600, -7, 7, 3600]) {
      const { least = Number.NaN, most = Number.NaN } = delayOf([3, 62, 62, 62, 62], clock) ?? {}
      assert.ok(least >= 40_000 && least <= 62_000 && most >= 60_000, `${clock}: ${least} ${most}`)
      if (clock > 0) assert.ok(most <= 72_000, `${clock}: ${most}`)
    }
  })

  it('is that of the latest fifty events', () => {
    assert.deepEqual(delayOf([...Array<number>(30).fill(62), ...Array<number>(50).fill(3)], 0), {
      least: 0,
      most: 10_000,
    })
  })
})

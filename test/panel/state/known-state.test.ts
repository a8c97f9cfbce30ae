import assert from 'node:assert/strict'
import { alarm, answerAt, catalogue, event, statusOf } from '../../../harness/fixtures/samples.ts'
import { minute } from '../../../src/duration.ts'
import { inferredState } from '../../../src/panel/state/inferred-state.ts'
import { KnownEvents, KnownState } from '../../../src/panel/state/known-state.ts'
import type { PanelAlarm } from '../../../src/service/responses/alarms.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'
import type { PanelStatus } from '../../../src/service/responses/status.ts'

const armed = { id: 1, state: 'AWAY' }
const disarmed = { id: 1, state: 'DISARM' }
const shop = { id: 2, state: 'DISARM' }
const burglary = alarm({ partitions: [1] })

describe('What is known of the state of a panel', () => {
  let known: KnownState
  let at: number
  beforeEach(() => {
    known = new KnownState()
    at = 0
  })

  /** Reads a status and a list of alarms; returns the partitions and the alarms that are there. */
  function read(status: PanelStatus, ...alarms: PanelAlarm[]) {
    at += 1
    const seen = known.noteStatus(answerAt(at, status), 100)
    const listed = known.noteAlarms(answerAt(at, alarms), seen, 100)
    return {
      partitions: seen.partitions.map(({ id, state }) => `${id} ${state}`),
      alarms: listed.map(({ alarm_type }) => alarm_type),
      online: seen.online,
    }
  }
  const readTwice = (status: PanelStatus, ...alarms: PanelAlarm[]) => [
    read(status, ...alarms),
    read(status, ...alarms),
  ]

  it('has an alarm until the second list without it, and is in doubt meanwhile', () => {
    readTwice(statusOf(armed), burglary)
    assert.deepEqual([known.isInDoubt, [...known.heldAlarms]], [false, []])
    assert.deepEqual(read(statusOf(armed)).alarms, ['ALARM'])
    assert.deepEqual([known.isInDoubt, [...known.heldAlarms]], [true, [burglary]])
    known.noteStatus(answerAt(at + 1, statusOf(armed)), 100)
    assert.equal(known.isInDoubt, true)
    assert.deepEqual(read(statusOf(armed)).alarms, [])
    assert.deepEqual([known.isInDoubt, [...known.heldAlarms]], [false, []])
  })

  it('has a partition until the second status without it, with its alarms', () => {
    readTwice(statusOf(armed, shop), burglary)
    const lacking = read(statusOf(shop), burglary)
    assert.deepEqual([lacking.partitions, lacking.alarms], [['2 DISARM', '1 AWAY'], ['ALARM']])
    assert.deepEqual(read(statusOf(shop)).partitions, ['2 DISARM'])
  })

  it('has an alarm as long as no status has its partition, or it is gone', () => {
    readTwice(statusOf(armed, shop), burglary)
    // The first list without the alarm that counts is the one after the second status without its partition.
    const alarms = [1, 2, 3].map(() => read(statusOf(shop)).alarms)
    assert.deepEqual(alarms, [['ALARM'], ['ALARM'], []])
  })

  it('has an alarm no longer once its partition is disarmed that was armed', () => {
    readTwice(statusOf(armed), burglary)
    assert.deepEqual(read(statusOf(disarmed)).alarms, [])
  })

  it('has a fire in a disarmed partition until the second list without it', () => {
    readTwice(statusOf(disarmed), alarm({ alarm_type: 'FIRE', partitions: [1] }))
    assert.deepEqual(
      readTwice(statusOf(disarmed)).map(({ alarms }) => alarms),
      [['FIRE'], []],
    )
  })

  it('has an alarm no longer that a list shows in memory, or that a later one in its zone replaces', () => {
    for (const datetime of [burglary.datetime, '2026-01-02 03:09:00']) {
      known = new KnownState()
      readTwice(statusOf(armed), burglary)
      const after = { ...burglary, alarm_type: 'ALARM_IN_MEMORY', datetime }
      assert.deepEqual(read(statusOf(armed), after).alarms, ['ALARM_IN_MEMORY'])
    }
    // An earlier one says nothing about it.
    known = new KnownState()
    readTwice(statusOf(armed), burglary)
    const before = { ...burglary, alarm_type: 'ALARM_IN_MEMORY', datetime: '2026-01-01 00:00:00' }
    assert.deepEqual(read(statusOf(armed), before).alarms, ['ALARM_IN_MEMORY', 'ALARM'])
  })

  it('knows a disarm of a partition that was armed from the second answer on, since the first one', () => {
    const disarmedAt = (...states: PanelStatus[]) => {
      known = new KnownState()
      at = 0
      for (const one of states) read(one)
      return known.disarms.get(1)?.at
    }
    const [on, off] = [statusOf(armed), statusOf(disarmed)]
    assert.equal(disarmedAt(off, off, off), undefined, 'it was never armed')
    assert.equal(disarmedAt(on, on, off), undefined)
    assert.equal(disarmedAt(on, on, off, off), answerAt(3, 0).at)
    assert.equal(disarmedAt(on, on, off, on, off), undefined)
    assert.equal(disarmedAt(on, on, off, off, on, off), answerAt(3, 0).at)
    assert.equal(disarmedAt(on, on, off, off, on, off, off), answerAt(6, 0).at)
    const offline = { ...off, connected: false }
    assert.equal(disarmedAt(on, on, offline, offline), undefined, 'an offline panel tells what was')
  })

  it('knows since when a partition may be armed that is shown armed, until its disarm is known', () => {
    const armedAt = (...states: PanelStatus[]) => {
      known = new KnownState()
      at = 0
      for (const one of states) read(one)
      return known.armings.get(1)?.at
    }
    const [on, off] = [statusOf(armed), statusOf(disarmed)]
    const alarm = statusOf({ ...armed, state: 'ALARM' })
    assert.equal(armedAt(off, off), undefined)
    assert.equal(armedAt(off, alarm, alarm), undefined, 'a fire in a disarmed house')
    assert.equal(armedAt(on, on), answerAt(1, 0).at - 5 * minute, 'no answer was before')
    assert.equal(armedAt(off, off, on, on), answerAt(2, 0).at, 'perhaps since the answer before')
    const offline = { ...off, connected: false }
    assert.equal(armedAt(off, offline, on), answerAt(1, 0).at, 'an offline panel tells what was')
    assert.equal(armedAt(off, on, alarm, alarm), answerAt(1, 0).at)
    assert.equal(armedAt(off, on, off), answerAt(1, 0).at, 'one answer shows no disarm')
    assert.equal(armedAt(off, on, off, off), undefined)
    assert.equal(armedAt(off, on, off, off, on), answerAt(4, 0).at)
  })

  it('keeps the alarms that the list has shown while it cannot be read, until a disarm is known', () => {
    readTwice(statusOf(armed), burglary)
    const keep = (status: PanelStatus) => {
      at += 1
      return known.keepAlarms(known.noteStatus(answerAt(at, status), 100)).length
    }
    assert.deepEqual([keep(statusOf(armed)), known.hasAllAlarms, known.heldAlarms.size], [1, false, 1])
    assert.deepEqual([keep(statusOf(disarmed)), keep(statusOf(disarmed))], [1, 0])
  })

  it('has what an offline panel had, however often its answers lack it', () => {
    readTwice(statusOf(armed), burglary)
    const offline = { ...statusOf(armed), connected: false }
    for (const { alarms, online } of [...readTwice(offline), ...readTwice(offline)])
      assert.deepEqual([alarms, online], [['ALARM'], false])
  })

  it('says for one answer more if the panel is online, if the service does not', () => {
    readTwice({ ...statusOf(armed), connected: false })
    const silent = { ...statusOf(armed), connected: null }
    assert.deepEqual(
      readTwice(silent).map(({ online }) => online),
      [false, null],
    )
  })

  it('is whole after the first answer and two that agree', () => {
    const whole = [1, 2, 3].map(() => {
      read(statusOf(armed))
      return [known.hasAllPartitions, known.hasAllAlarms]
    })
    assert.deepEqual(whole, [
      [false, false],
      [false, false],
      [true, true],
    ])
  })
})

describe('The events from which a state is inferred', () => {
  const [arm, burglar, disarm] = [
    event({ event: 1, type_id: 86 }),
    event({ event: 2, type_id: 3, device_type: 'ZONE', zone: 2, datetime: '2026-01-02 03:05:00' }),
    event({ event: 3, type_id: 89, datetime: '2026-01-02 03:06:00' }),
  ]

  /** Returns the state after each of the lists. */
  function statesAfter(...lists: PanelEvent[][]) {
    const known = new KnownEvents()
    return lists.map((list, at) => {
      const events = known.note(list, answerAt(at, list), 10, 'UTC')
      return inferredState(events, catalogue, null, 'UTC').partitions[0]?.value
    })
  }

  it('keep an alarm, an arming and a disarming that one list lacks', () => {
    const all = [arm, burglar]
    assert.deepEqual(statesAfter(all, all, [arm], all), ['ALARM', 'ALARM', 'ALARM', 'ALARM'])
    assert.deepEqual(statesAfter(all, all, [], all), ['ALARM', 'ALARM', 'ALARM', 'ALARM'])
    assert.deepEqual(statesAfter([arm], [arm, burglar, disarm], [arm, burglar]).at(-1), 'DISARM')
  })

  it('lose what two lists in a row lack', () => {
    const test = event({ event: 4, type_id: 60, datetime: '2026-01-02 03:07:00' })
    const [all, without] = [
      [arm, burglar, test],
      [arm, test],
    ]
    assert.deepEqual(statesAfter(all, all, without, without).slice(2), ['ALARM', 'AWAY'])
  })

  it('keep a disarm however many lists end before it', () => {
    const all = [arm, burglar, disarm]
    const cut = [arm, burglar]
    assert.deepEqual(statesAfter(all, all, cut, cut, cut, all).slice(2), Array(4).fill('DISARM'))
  })

  it('end an alarm with the first list that tells of a disarm', () => {
    assert.deepEqual(statesAfter([arm, burglar], [arm, burglar, disarm]), ['ALARM', 'DISARM'])
    assert.deepEqual(statesAfter([arm, burglar], [arm, burglar], [disarm]).at(-1), 'DISARM')
  })

  it('have the order of their times if one list adds them: after an outage, alarms come first', () => {
    const at = (datetime: string, type_id: number, id: number) =>
      event({ event: id, type_id, partitions: [1], datetime })
    const before = at('2026-11-22 12:00:00', 89, 1)
    const late = [
      at('2026-11-22 12:10:03', 2, 2),
      at('2026-11-22 12:11:03', 20, 3),
      at('2026-11-22 12:10:02', 86, 4),
    ]
    assert.deepEqual(statesAfter([before], [before, ...late]), ['DISARM', 'ALARM'])
    const long = [at('2026-11-22 12:50:00', 2, 2), at('2026-11-22 12:10:00', 86, 3)]
    assert.deepEqual(statesAfter([before], [before, ...long]), ['DISARM', 'ALARM'], 'after hours too')
  })

  it('are remembered up to two hundred', () => {
    const many = Array.from({ length: 1000 }, (_, id) => event({ event: id + 10 }))
    const known = new KnownEvents()
    known.note(many, answerAt(0, many), 10, 'UTC')
    assert.equal(known.note([arm], answerAt(1, [arm]), 10, 'UTC').length, 201)
  })
})

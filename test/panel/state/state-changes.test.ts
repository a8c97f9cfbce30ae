import assert from 'node:assert/strict'
import { catalogue, event, partitionState } from '../../../harness/fixtures/samples.ts'
import { minute } from '../../../src/duration.ts'
import { withRepeatedHour } from '../../../src/panel/events/event-order.ts'
import type { ChangedBy } from '../../../src/panel/state/partition-state.ts'
import { StateChanges } from '../../../src/panel/state/state-changes.ts'

const ids: string[] = []
/** Returns an event, the same one for the same type and person. */
const of = (type_id: number, appointment: string, ...partitions: number[]) => {
  const name = `${type_id} ${appointment}`
  if (!ids.includes(name)) ids.push(name)
  const datetime = '2026-01-02 03:04:05'
  return event({ event: 1 + ids.indexOf(name), type_id, appointment, partitions, datetime })
}
const at = '2026-01-02T03:04:05.000Z'

/** A panel with partition 1, whose state and events are read at given times. */
class Reads {
  readonly #changes = new StateChanges('UTC')

  events(sentAt: number, ...list: readonly ReturnType<typeof event>[]): void {
    this.#changes.noteEvents(list, catalogue, sentAt)
  }

  state(sentAt: number, value: string): ChangedBy | null | undefined {
    const view = { online: true, partitions: [partitionState({ id: 1, value })] }
    return this.#changes.withNames(view, sentAt).partitions[0]?.changedBy
  }

  get areReported(): boolean | null {
    return this.#changes.areReported
  }
}

describe('Who changed the state of a partition', () => {
  let reads: Reads
  beforeEach(() => {
    reads = new Reads()
  })

  it('is the one of the newest arming or disarming, with its time', () => {
    reads.events(1, of(86, 'Anna', 1), of(89, 'Ben', 2), of(97, 'Chiara', 1))
    assert.deepEqual(reads.state(2, 'AWAY'), { name: 'Anna', at })
    assert.deepEqual(reads.state(3, 'AWAY'), { name: 'Anna', at }, 'as long as the state stays')
  })

  it('is not known without events, and while the events do not lead to the state', () => {
    assert.equal(reads.state(1, 'AWAY'), null)
    reads.events(2, of(86, 'Anna', 1))
    for (const [time, value] of [
      [3, 'DISARM'],
      [4, 'HOME'],
      [5, 'ALARM'],
      [6, 'ENTRY_DELAY'],
    ] as const)
      assert.equal(reads.state(time, value), null, value)
  })

  it('is not the one of an earlier change to the same state, which a list before the change still shows', () => {
    reads.events(1, of(86, 'Anna', 1))
    assert.equal(reads.state(2, 'AWAY')?.name, 'Anna')
    assert.equal(reads.state(3, 'DISARM'), null)
    assert.equal(reads.state(4, 'AWAY'), null)
    reads.events(5, of(86, 'Anna', 1), of(89, 'Ben', 1), of(86, 'Chiara', 1))
    assert.equal(reads.state(6, 'AWAY')?.name, 'Chiara')
  })

  it('is the same during the exit delay and after it', () => {
    reads.state(1, 'DISARM')
    reads.events(2, of(86, 'Anna', 1))
    assert.equal(reads.state(3, 'ARMING')?.name, 'Anna')
    assert.equal(reads.state(4, 'AWAY')?.name, 'Anna')
  })

  it('is, after an alarm, the one who canceled it', () => {
    reads.state(1, 'ALARM')
    reads.events(2, of(86, 'Ben', 1), of(1, 'Kitchen', 1), of(31, 'Anna', 1), of(173, '', 1))
    assert.deepEqual(reads.state(3, 'DISARM'), { name: 'Anna', at })
  })

  it('is, after an alarm, the one who canceled it also if the disarming names the panel', () => {
    const ofPanel = event({ ...of(173, 'Control Panel', 1), device_type: 'CONTROL_PANEL' })
    reads.state(1, 'ALARM')
    reads.events(2, of(1, 'Kitchen', 1), of(31, 'Anna', 1), ofPanel)
    assert.deepEqual(reads.state(3, 'DISARM'), { name: 'Anna', at })
    reads.state(4, 'AWAY')
    reads.events(5, of(31, 'Anna', 1), event({ ...ofPanel, event: 99, datetime: '2026-01-02 05:00:00' }))
    assert.equal(reads.state(6, 'DISARM')?.name, 'Control Panel', 'hours later the panel disarms by itself')
  })

  it('is, after an alarm, the one who canceled it also if the disarming of the same second is listed before', () => {
    const ofPanel = event({ ...of(173, 'Control Panel', 1), device_type: 'CONTROL_PANEL' })
    const reads = new Reads()
    reads.state(0, 'ALARM')
    reads.events(1, ofPanel, of(31, 'Ben', 1))
    assert.equal(reads.state(2, 'DISARM')?.name, 'Ben')
    const later = new Reads()
    later.state(0, 'ALARM')
    later.events(1, ofPanel, of(31, 'Ben', 2))
    assert.equal(later.state(2, 'DISARM')?.name, 'Control Panel', 'somebody cancels another alarm later')
  })

  it('is, after an alarm that was too old to be canceled, the one who disarmed, and not the panel that reports it again', () => {
    const ofPanel = event({ ...of(173, 'Control Panel', 1), device_type: 'CONTROL_PANEL' })
    reads.state(1, 'ALARM')
    reads.events(2, of(86, 'Anna', 1), of(1, 'Kitchen', 1), of(89, 'Ben', 1))
    assert.deepEqual(reads.state(3, 'DISARM'), { name: 'Ben', at })
    reads.events(4, of(86, 'Anna', 1), of(1, 'Kitchen', 1), of(89, 'Ben', 1), ofPanel)
    assert.deepEqual(reads.state(5, 'DISARM'), { name: 'Ben', at }, 'the second event comes a poll later')
    reads.events(6, of(89, 'Ben', 1), ofPanel, of(86, 'Chiara', 1))
    assert.equal(reads.state(7, 'AWAY')?.name, 'Chiara')
    const later = '2026-01-02 05:00:00'
    const tom = event({ ...of(89, 'Tom', 1), datetime: later })
    reads.events(
      8,
      of(89, 'Ben', 1),
      ofPanel,
      of(86, 'Chiara', 1),
      tom,
      event({ ...ofPanel, event: 99, datetime: later }),
    )
    assert.equal(reads.state(9, 'DISARM')?.name, 'Tom', 'both come together')
    reads.state(10, 'AWAY')
    const night = event({ ...ofPanel, event: 100, datetime: '2026-01-02 09:00:00' })
    reads.events(11, tom, night)
    assert.equal(reads.state(12, 'DISARM')?.name, 'Control Panel', 'hours later the panel disarms by itself')
  })

  it('is nobody who was known to have acted before the state before was seen, though the list is behind', () => {
    reads.events(1, of(89, 'Ben', 1))
    assert.equal(reads.state(2, 'DISARM')?.name, 'Ben')
    reads.events(3, of(89, 'Ben', 1), of(86, 'Tom', 1))
    assert.equal(reads.state(4, 'AWAY')?.name, 'Tom')
    reads.events(5, of(89, 'Ben', 1))
    assert.equal(reads.state(6, 'DISARM'), null, 'a thin list lacks the arming')
    reads.events(7)
    reads.events(8, of(89, 'Ben', 1))
    assert.equal(reads.state(9, 'DISARM'), null, 'an empty list came before')
    reads.events(10, of(89, 'Ben', 1), of(86, 'Tom', 1), of(89, 'Anna', 1))
    assert.equal(reads.state(11, 'DISARM')?.name, 'Anna')
  })

  /** Reads these states of partition 1, at these times. */
  const see = (...states: readonly [number, string][]) => {
    for (const [sentAt, value] of states) reads.state(sentAt, value)
  }

  it('is not the one of an earlier change whose event comes late', () => {
    reads.events(1, of(89, 'Ben', 1))
    see([2, 'DISARM'], [3, 'HOME'], [4, 'DISARM'], [5, 'AWAY'])
    const [anna, chiara, tom] = [of(85, 'Anna', 1), of(89, 'Chiara', 1), of(86, 'Tom', 1)]
    reads.events(6, of(89, 'Ben', 1), anna, chiara)
    assert.equal(reads.state(7, 'DISARM'), null, 'the disarming before the last one')
    reads.events(8, of(89, 'Ben', 1), anna, chiara, tom)
    assert.equal(reads.state(9, 'DISARM'), null)
    reads.events(10, of(89, 'Ben', 1), anna, chiara, tom, of(89, 'Otto', 1))
    assert.equal(reads.state(11, 'DISARM')?.name, 'Otto')
  })

  it('is the one of the newest event when those of several changes come late together', () => {
    reads.events(1, of(89, 'Ben', 1))
    see([2, 'DISARM'], [3, 'AWAY'], [4, 'DISARM'], [5, 'AWAY'], [6, 'DISARM'])
    const late = [of(86, 'Anna', 1), of(89, 'Chiara', 1), of(86, 'Tom', 1), of(89, 'Otto', 1)]
    reads.events(7, of(89, 'Ben', 1), ...late)
    assert.equal(reads.state(8, 'DISARM')?.name, 'Otto')
  })

  it('is known although an alarm has timed out, and minutes after a change that has no event', () => {
    const [anna, ben, tom] = [of(86, 'Anna', 1), of(89, 'Ben', 1), of(86, 'Tom', 1)]
    see([1, 'DISARM'], [2, 'AWAY'], [3, 'ALARM'], [4, 'AWAY'], [5, 'DISARM'])
    reads.events(6, anna, ben)
    see([7, 'DISARM'], [8, 'AWAY'])
    reads.events(9, anna, ben, tom)
    assert.equal(reads.state(10, 'AWAY')?.name, 'Tom')
    const later = 11 * minute
    see([11, 'DISARM'], [later, 'AWAY'], [later + 1, 'DISARM'])
    reads.events(later + 2, anna, ben, tom, of(89, 'Otto', 1))
    assert.equal(reads.state(later + 3, 'DISARM')?.name, 'Otto')
  })

  it('is nobody of a thin list that has only older events than were known', () => {
    const old = event({ ...of(89, 'Otto', 1), datetime: '2026-01-01 03:04:05' })
    reads.events(1, of(89, 'Ben', 1), of(86, 'Tom', 1))
    reads.state(2, 'AWAY')
    reads.events(3, old)
    assert.equal(reads.state(4, 'DISARM'), null)
  })

  it('is still the last one who armed when a list lacks her event and has the one of an earlier arming', () => {
    const [anna, ben, chiara] = ['Anna', 'Ben', 'Chiara'].map((appointment, nth) =>
      event({ ...of(nth === 1 ? 89 : 86, appointment, 1), datetime: `2026-01-01 03:0${nth}:00` }),
    ) as [ReturnType<typeof event>, ReturnType<typeof event>, ReturnType<typeof event>]
    see([1, 'DISARM'], [2, 'AWAY'], [3, 'DISARM'])
    reads.events(4, anna, ben)
    reads.state(5, 'DISARM')
    reads.state(6, 'AWAY')
    reads.events(7, anna, ben, chiara)
    reads.events(8, anna)
    assert.equal(reads.state(9, 'AWAY')?.name, 'Chiara')
    reads.events(10, anna, ben)
    assert.equal(reads.state(11, 'AWAY')?.name, 'Chiara', 'the disarm before her is listed')
  })

  it('is the one of an event with an earlier time in a list that has the known one too', () => {
    const ofSlowClock = event({ ...of(89, 'Otto', 1), datetime: '2026-01-01 03:04:05' })
    reads.events(1, of(89, 'Ben', 1))
    reads.state(2, 'AWAY')
    reads.events(3, of(89, 'Ben', 1), ofSlowClock)
    assert.equal(reads.state(4, 'DISARM')?.name, 'Otto')
  })

  it('is not the one of an earlier arming whose event comes late, after a cancellation that is known', () => {
    see([1, 'DISARM'], [2, 'AWAY'], [3, 'ALARM'], [4, 'DISARM'])
    reads.events(5, of(31, 'Eve', 1))
    see([6, 'DISARM'], [7, 'AWAY'])
    reads.events(8, of(86, 'Anna', 1), of(31, 'Eve', 1))
    assert.equal(reads.state(9, 'AWAY'), null)
  })

  it('is not who canceled an alarm long before the disarming, which names nobody', () => {
    const weeksAgo = event({ ...of(31, 'Anna', 1), datetime: '2025-12-12 03:04:05' })
    reads.state(1, 'AWAY')
    reads.events(2, weeksAgo, of(89, '', 1))
    assert.deepEqual(reads.state(3, 'DISARM'), { name: '', at })
    const secondsAgo = event({ ...of(31, 'Eve', 1), datetime: '2026-01-02 03:03:25' })
    const again = new Reads()
    again.state(1, 'AWAY')
    again.events(2, secondsAgo, of(89, '', 1))
    assert.equal(again.state(3, 'DISARM')?.name, 'Eve')
  })

  it('is told with the time of the second pass of an hour that the clocks repeat', () => {
    const changes = new StateChanges('Europe/Berlin')
    const list = [
      event({ event: 1, type_id: 86, appointment: 'Anna', datetime: '2026-10-25 02:55:00' }),
      event({ event: 2, type_id: 89, appointment: 'Ben', datetime: '2026-10-25 02:05:00' }),
    ]
    changes.noteEvents(withRepeatedHour(list, 'Europe/Berlin'), catalogue, 1)
    const view = { online: true, partitions: [partitionState({ id: 1, value: 'DISARM' })] }
    assert.equal(changes.withNames(view, 2).partitions[0]?.changedBy?.at, '2026-10-25T01:05:00.000Z')
  })

  it('is nobody if the event names nobody, or has no valid time', () => {
    reads.events(1, event({ type_id: 94, appointment: '', partitions: [1], datetime: 'soon' }))
    assert.deepEqual(reads.state(2, 'AWAY'), { name: '', at: null })
  })

  it('is not found in a list that was requested earlier than the one known', () => {
    reads.events(5, of(86, 'Anna', 1), of(89, 'Ben', 1))
    reads.events(4, of(86, 'Anna', 1))
    assert.equal(reads.state(6, 'DISARM')?.name, 'Ben')
  })
})

describe('Events of armings and disarmings', () => {
  it('are reported by a panel that adds one to those that were known', () => {
    const reads = new Reads()
    reads.events(1, of(86, 'Anna', 1))
    assert.equal(reads.areReported, null, 'those of the first list may be old')
    reads.events(2, of(86, 'Anna', 1), of(89, 'Ben', 1))
    assert.equal(reads.areReported, true)
  })

  it('are no reports if they were missing in a first list that was empty or incomplete', () => {
    for (const first of [[], [of(89, 'Ben', 1)]]) {
      const reads = new Reads()
      reads.events(1, ...first)
      reads.events(2, of(86, 'Anna', 1), of(89, 'Ben', 1))
      assert.equal(reads.areReported, null)
    }
  })
})

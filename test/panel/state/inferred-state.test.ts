import assert from 'node:assert/strict'
import fc from 'fast-check'
import { catalogue, event, info } from '../../../harness/fixtures/samples.ts'
import { inferredState } from '../../../src/panel/state/inferred-state.ts'
import type { PanelInfo } from '../../../src/service/responses/panel-info.ts'

const of = (type_id: number | null, ...partitions: number[]) => event({ type_id, partitions })
const armAway = of(86)
const disarm = of(89)
const interiorAlarm = of(1)

function view(events: ReturnType<typeof event>[], panel: PanelInfo | null = null) {
  return inferredState(events, catalogue, panel, 'UTC')
}
const valueAfter = (...events: ReturnType<typeof event>[]) => view(events).partitions[0]?.value
const values = (events: ReturnType<typeof event>[], panel: PanelInfo | null = null) =>
  Object.fromEntries(view(events, panel).partitions.map(({ id, value }) => [id, value]))

describe('The inferred value of a partition', () => {
  const states = { HOME: [85, 87], AWAY: [86, 88, 93, 94, 95, 96], DISARM: [41, 89, 173] }
  for (const [state, typeIds] of Object.entries(states)) {
    for (const typeId of typeIds) {
      it(`is ${state} after "${catalogue.get(typeId)?.description}" (${typeId})`, () => {
        assert.equal(valueAfter(state === 'DISARM' ? armAway : disarm, of(typeId)), state)
      })
    }
  }

  const alarmTypes = [...catalogue.values()].filter(
    ({ group, typeId }) => group === 'EP_ALARM' && ![18, 35, 997].includes(typeId),
  )
  it('is ALARM after every alarm of the catalogue, whatever its label', () => {
    assert.equal(alarmTypes.length, 23)
    for (const { typeId, description } of alarmTypes) {
      assert.equal(valueAfter(armAway, of(typeId)), 'ALARM', description)
    }
  })

  it('is ALARM after an alarm that only the catalogue of the service contains', () => {
    const extended = new Map(catalogue)
    const known = catalogue.get(1) ?? assert.fail()
    extended.set(2001, { ...known, typeId: 2001 })
    assert.equal(inferredState([of(2001)], extended, null, 'UTC').partitions[0]?.value, 'ALARM')
  })

  it('is not ALARM after types that are only grouped with the alarms', () => {
    for (const typeId of [18, 35, 997]) assert.equal(valueAfter(armAway, of(typeId)), 'AWAY')
  })

  it('ignores labels: restores labeled BURGLER and a failure to arm labeled ARM change nothing', () => {
    for (const [typeId, label] of [
      [19, 'BURGLER'],
      [27, 'BURGLER'],
      [90, 'ARM'],
    ] as const) {
      assert.equal(valueAfter(disarm, event({ type_id: typeId, label })), 'DISARM')
    }
  })

  it('does not reveal a duress event', () => assert.equal(valueAfter(disarm, of(15)), 'DISARM'))

  it('is no longer ALARM after a code that is entered under threat, which disarms, too', () =>
    assert.equal(valueAfter(disarm, of(36), of(15)), 'DISARM'))

  it('stays ALARM until it is disarmed', () => {
    assert.equal(valueAfter(armAway, interiorAlarm, of(19), of(994)), 'ALARM')
    assert.equal(valueAfter(armAway, interiorAlarm, of(173)), 'DISARM')
  })

  it('is no longer ALARM once one of the partitions of a shared zone is disarmed', () => {
    const shared = [of(86, 1), of(86, 2), of(2, 1, 2)]
    assert.deepEqual(values(shared), { 1: 'ALARM', 2: 'ALARM' })
    assert.deepEqual(values([...shared, of(89, 2)]), { 1: 'AWAY', 2: 'DISARM' })
    assert.deepEqual(values([...shared, of(31, 2), of(173, 2)]), { 1: 'AWAY', 2: 'DISARM' })
    assert.deepEqual(
      values([...shared, of(2, 1), of(89, 2)]),
      { 1: 'ALARM', 2: 'DISARM' },
      'a zone of its own',
    )
    assert.deepEqual(
      values([...shared, of(86, 2)]),
      { 1: 'ALARM', 2: 'AWAY' },
      'an arming ends it there alone',
    )
    assert.deepEqual(
      values([of(86, 1), of(86, 2), of(2), of(89, 2)]),
      { 1: 'ALARM', 2: 'DISARM' },
      'no zone named',
    )
  })

  it('is DISARM again after the restore of an alarm that began while disarmed, and only of this one', () => {
    const at = { device_type: 'ZONE', zone: 6 }
    const [smoke, quiet] = [event({ ...at, type_id: 36 }), event({ ...at, type_id: 37 })]
    assert.equal(valueAfter(disarm, smoke), 'ALARM')
    assert.equal(valueAfter(disarm, smoke, quiet), 'DISARM')
    assert.equal(valueAfter(disarm, smoke, { ...quiet, zone: 7 }), 'ALARM')
    assert.equal(valueAfter(disarm, smoke, event({ ...at, type_id: 19 })), 'ALARM')
    const [listed] = inferredState([smoke, quiet], catalogue, null, 'UTC', {
      disarmed: new Set([-1]),
    }).partitions
    assert.equal(listed?.value, 'UNKNOWN', 'disarmed by the status, without a disarming in the list')
    const armed = { isArmed: (one: object) => one === quiet }
    const [kept] = inferredState([disarm, smoke, quiet], catalogue, null, 'UTC', armed).partitions
    assert.equal(kept?.value, 'ALARM', 'armed by the status, which no event tells')
  })

  it('is ALARM after an arming that a panel reports after the alarm that came later, as after an outage', () => {
    const at = (type_id: number, datetime: string, more: object = {}) =>
      event({ type_id, datetime: `2026-01-02 ${datetime}`, ...more })
    const zone = { device_type: 'ZONE', zone: 3 }
    const outage = (armedAt: string) => [
      at(2, '03:10:00', zone),
      at(20, '03:11:00', zone),
      at(86, armedAt),
      at(43, '03:20:00'),
    ]
    const earlier = at(89, '02:00:00')
    assert.equal(valueAfter(earlier, ...outage('03:05:00')), 'ALARM')
    assert.equal(valueAfter(earlier, ...outage('03:12:00')), 'AWAY', 'armed after it')
    assert.equal(valueAfter(earlier, ...outage('02:30:00')), 'AWAY', 'the clock of the panel was put back')
    assert.equal(valueAfter(earlier, ...outage('03:05:00'), at(89, '03:30:00')), 'DISARM')
  })

  it('is the state before the alarm once the alarm is canceled', () => {
    assert.equal(valueAfter(armAway, interiorAlarm, of(31)), 'AWAY')
  })

  it('follows the newest event', () => assert.equal(valueAfter(armAway, disarm, of(85)), 'HOME'))

  it('is UNKNOWN without any arm, disarm or alarm event', () => {
    assert.deepEqual(values([]), { '-1': 'UNKNOWN' })
    assert.equal(valueAfter(of(999), of(null), of(31)), 'UNKNOWN')
  })

  it('is marked as inferred, with unknown readiness', () => {
    const [partition] = view([armAway]).partitions
    assert.deepEqual([partition?.inferred, partition?.ready, partition?.status], [true, null, ''])
  })

  it('includes the active alarms', () => {
    const alarm = event({ type_id: 1, label: 'EL_BURGLER', zone: 3, zone_name: 'Hall', device_type: 'ZONE' })
    assert.deepEqual(view([of(2), disarm, alarm]).partitions[0]?.alarms, [
      {
        type: 'BURGLER',
        inMemory: false,
        deviceType: 'ZONE',
        zone: 3,
        zoneName: 'Hall',
        location: '',
        partitions: [-1],
        time: '2026-01-02T03:04:05.000Z',
        timeRaw: '2026-01-02 03:04:05',
      },
    ])
  })

  it('includes the states that can be requested; during an alarm, those of the armed state', () => {
    const setUp = info({ id: -1 })
    assert.deepEqual(view([armAway], setUp).partitions[0]?.settable, ['HOME', 'DISARM'])
    assert.deepEqual(view([armAway, interiorAlarm], setUp).partitions[0]?.settable, ['HOME', 'DISARM'])
    assert.deepEqual(view([], setUp).partitions[0]?.settable, ['AWAY', 'HOME', 'DISARM'])
  })

  it('is always one of five words', () => {
    const someEvent = fc.record({
      type_id: fc.option(fc.integer({ min: 0, max: 200 })),
      partitions: fc.array(fc.integer({ min: -1, max: 3 })),
      datetime: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(someEvent), (events) => {
        const { partitions } = view(events.map((fields) => event(fields)))
        assert.ok(partitions.length > 0)
        for (const { value } of partitions) {
          assert.ok(['AWAY', 'HOME', 'DISARM', 'ALARM', 'UNKNOWN'].includes(value))
        }
      }),
    )
  })
})

describe('The inferred partitions', () => {
  it('follow the events that name them, no partition or the whole panel', () => {
    assert.deepEqual(values([of(86, 1), of(85, 2)]), { 1: 'AWAY', 2: 'HOME' })
    assert.deepEqual(values([of(86, 1), of(85, 2), of(89)]), { 1: 'DISARM', 2: 'DISARM' })
    assert.deepEqual(values([of(86, 1), of(85, 2), of(89, -1)]), { 1: 'DISARM', 2: 'DISARM' })
  })

  it('are the active configured ones, with their names, with or without a known state', () => {
    const setUp = info({ id: 2, name: 'Shop' }, { id: 1 }, { id: 3, active: false }, { id: -1, name: 'ALL' })
    assert.deepEqual(values([of(86, 1), of(85, 3)], setUp), { 1: 'AWAY', 2: 'UNKNOWN' })
    assert.equal(view([], setUp).partitions[1]?.name, 'Shop')
    assert.deepEqual(values([], info({ id: 1 }, { id: -1 })), { 1: 'UNKNOWN' })
  })

  it('are the whole panel if it is not divided, and every event concerns it', () => {
    assert.deepEqual(values([of(86, 1)], info({ id: -1 })), { '-1': 'AWAY' })
  })
})

describe('The inferred online state of a panel', () => {
  it('follows the newest online or offline event', () => {
    assert.equal(view([of(998), of(999)]).online, true)
    assert.equal(view([of(999), of(998), armAway]).online, false)
  })

  it('is not offline because one of its modules is', () => {
    for (const module of [991, 993, 995]) {
      assert.equal(view([of(module)]).online, null)
      assert.equal(view([of(999), of(module)]).online, true)
      assert.equal(view([of(998), of(module)]).online, false)
    }
  })

  it('is offline when it has gone itself, and online when it or one of its modules is back', () => {
    for (const gone of [998, 1000]) assert.equal(view([of(999), of(gone)]).online, false)
    for (const back of [992, 994, 996, 999]) assert.equal(view([of(1000), of(back)]).online, true)
  })

  it('is unknown without such an event', () => assert.equal(view([armAway]).online, null))
})

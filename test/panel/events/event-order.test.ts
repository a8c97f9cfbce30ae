import assert from 'node:assert/strict'
import fc from 'fast-check'
import { neverAborted } from '../../../harness/account.ts'
import { event } from '../../../harness/fixtures/samples.ts'
import { CommandedPanel } from '../../../harness/panel/commanded-panel.ts'
import { createHistory, historyPlans, kinds } from '../../../harness/properties/events/event-histories.ts'
import { minute } from '../../../src/duration.ts'
import { chronological, sortList, withRepeatedHour } from '../../../src/panel/events/event-order.ts'
import { eventTime, type PanelEvent } from '../../../src/service/responses/events.ts'

/** Returns events with these ids and seconds. */
function list(...entries: [id: number | null, second: number][]): PanelEvent[] {
  return entries.map(([event, second]) => ({
    event,
    type_id: 85,
    label: '',
    description: '',
    appointment: '',
    datetime: `2026-03-01 12:00:${String(second).padStart(2, '0')}`,
    video: false,
    device_type: 'USER',
    zone: 0,
    zone_name: '',
    partitions: [],
  }))
}

describe('The chronological order of a list', () => {
  // @spec event-order
  it('is oldest first, whatever the order of the service', () => {
    const events = list([3, 1], [4, 1], [8, 5], [9, 30])
    assert.deepEqual(chronological(events), events)
    assert.deepEqual(chronological(events.toReversed()), events)
  })

  it('keeps the order of events at the same time', () => {
    const events = list([0, 1], [0, 7], [0, 7], [0, 9])
    assert.deepEqual(chronological(events), events)
    assert.deepEqual(chronological(events.toReversed()), events)
  })

  it('keeps the order of the service across a reset of the ids and a change of the clock', () => {
    const reset = list([700, 1], [701, 2], [702, 3], [1, 4], [2, 5], [3, 6])
    const step = list([null, 40], [null, 41], [null, 42], [null, 43], [null, 20], [null, 21])
    for (const events of [reset, step]) {
      assert.deepEqual(chronological(events), events)
      assert.deepEqual(chronological(events.toReversed()), events)
    }
  })

  it('follows the ids in an unordered list, or the times if an id is missing', () => {
    const [one, two, three, four] = list([1, 9], [2, 9], [3, 10], [4, 11])
    assert.deepEqual(chronological([three, one, four, two] as PanelEvent[]), [one, two, three, four])
    const [five, six, seven, eight] = list([0, 1], [1, 2], [2, 3], [3, 4])
    assert.deepEqual(chronological([seven, five, eight, six] as PanelEvent[]), [five, six, seven, eight])
  })

  it('moves a late event to its place by id', () => {
    const [one, late, two, three] = list([1, 1], [2, 2], [3, 3], [4, 4])
    assert.deepEqual(chronological([one, two, three, late] as PanelEvent[]), [one, late, two, three])
  })

  it('is oldest first, or the previous order, for a list without any hints', () => {
    const alike = list([0, 1], [0, 1])
    assert.equal(sortList(alike).order, 'none')
    assert.deepEqual(chronological(alike), alike)
    for (const habit of ['newest first', 'oldest first'] as const) {
      assert.equal(sortList(alike, habit).order, habit)
    }
    assert.deepEqual(chronological([]), [])
  })

  it('changes neither the list nor its events', () => {
    const anyCourse = fc
      .tuple(fc.constantFrom(...kinds), fc.constantFrom('oldest first' as const, 'shuffled' as const))
      .chain(([kind, order]) => historyPlans(kind, order))
    fc.assert(
      fc.property(anyCourse, (course) => {
        for (const { list: events } of createHistory(course).polls) {
          const before = [...events]
          assert.deepEqual(new Set(chronological(events)), new Set(events))
          assert.deepEqual(events, before)
        }
      }),
      { numRuns: 100 },
    )
  })
})

const zone = 'Europe/Berlin'
/** Returns the times of a list, in UTC. */
const times = (...texts: string[]) =>
  withRepeatedHour(
    texts.map((text, index) => event({ event: 1 + index, datetime: text })),
    zone,
  ).map((one) => eventTime(one, zone)?.slice(11, 16))

describe('The hour that the clocks repeat in autumn', () => {
  it('is told apart by the order of the list', () => {
    assert.deepEqual(
      times(
        '2026-10-25 01:50:00',
        '2026-10-25 02:55:00',
        '2026-10-25 02:05:00',
        '2026-10-25 02:40:00',
        '2026-10-25 03:10:00',
      ),
      ['23:50', '00:55', '01:05', '01:40', '02:10'],
    )
  })

  it('is told apart in a list with the newest first', () => {
    const texts = ['2026-10-25 03:10:00', '2026-10-25 02:05:00', '2026-10-25 02:55:00', '2026-10-24 20:00:00']
    const list = texts.map((datetime, index) => event({ event: 9 - index, datetime }))
    assert.deepEqual(
      withRepeatedHour(list, zone).map((one) => eventTime(one, zone)?.slice(11, 16)),
      ['02:10', '01:05', '00:55', '18:00'],
    )
  })

  it('changes no time of another hour that goes back, and none without a time', () => {
    const list = [
      '2026-10-24 12:00:00',
      '?',
      '2026-10-24 11:30:00',
      '2026-10-25 02:55:00',
      '2026-10-25 02:56:00',
    ]
    const events = list.map((datetime, index) => event({ event: 1 + index, datetime }))
    assert.equal(withRepeatedHour(events, zone), events)
  })

  it('takes no event that comes a few minutes late for one of the second pass', () => {
    assert.deepEqual(
      times('2026-10-25 02:50:00', '2026-10-25 02:47:00', '2026-10-25 02:05:00', '2026-10-25 02:04:00'),
      ['00:50', '00:47', '01:05', '01:04'],
    )
  })

  it('is told apart in the events that nodes get, in the inferred state and in who changed it', async () => {
    const at = await CommandedPanel.open({}, {}, { timeZone: zone })
    const { panel, simulated } = at
    simulated.clearEvents()
    simulated.log({ type_id: 2, zone: 1, device_type: 'ZONE', datetime: '2026-10-25 02:55:00' })
    simulated.log({ type_id: 89, appointment: 'Anna', datetime: '2026-10-25 02:05:00' })
    const got: (string | null)[] = []
    const leave = panel.eventDeliveries.subscribe(
      { id: 'n', instances: 'one' },
      {
        policy: { first: 'deliver', missed: 'deliver' },
        events: (deliveries) => got.push(...deliveries.map((one) => eventTime(one.event, zone))),
        gap: () => {},
      },
    )
    await at.harness.waitFor(panel.events.read(neverAborted()))
    assert.deepEqual(got, ['2026-10-25T00:55:00.000Z', '2026-10-25T01:05:00.000Z'])
    const { view } = await at.harness.waitFor(panel.state.read(neverAborted()))
    assert.equal(view.partitions[0]?.changedBy?.at, '2026-10-25T01:05:00.000Z')
    leave()
    await panel.close()
    await at.close()
  })

  it('gives all times back in any list that shows both passes', () => {
    const start = Date.parse('2026-10-24T23:30:00Z')
    const local = (time: number) =>
      new Date(time).toLocaleString('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 8, maxLength: 12 }), (gaps) => {
        let time = start
        const happened = gaps.map((gap) => {
          time += gap * minute
          return time
        })
        const isCertain = happened.every((one, at) => {
          const before = happened[at - 1] ?? start
          const isSecond = one >= start + 90 * minute && one < start + 150 * minute
          return !isSecond || local(one) < local(before - 5 * minute) || before >= start + 90 * minute
        })
        fc.pre(isCertain)
        const list = happened.map((one, index) => event({ event: 1 + index, datetime: local(one) }))
        const found = withRepeatedHour(list, zone).map((one) => Date.parse(eventTime(one, zone) ?? ''))
        assert.deepEqual(found, happened)
      }),
      { numRuns: 100 },
    )
  })
})

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { neverAborted } from '../../../harness/account.ts'
import { event } from '../../../harness/fixtures/samples.ts'
import { CommandedPanel } from '../../../harness/panel/commanded-panel.ts'
import { minute } from '../../../src/duration.ts'
import { withRepeatedHour } from '../../../src/panel/events/repeated-hour.ts'
import { eventTime } from '../../../src/service/responses/events.ts'

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

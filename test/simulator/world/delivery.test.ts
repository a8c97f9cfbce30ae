import assert from 'node:assert/strict'
import { useSimulatorHarness } from '../../../harness/simulator.ts'

const kitchen = 2
const bedroom = 3

describe('The events of the simulated panel', () => {
  const at = useSimulatorHarness(() => undefined)

  const types = () => at.panel.events.map(({ type_id }) => type_id)
  const times = () => at.panel.events.map(({ datetime }) => datetime.slice(-8))
  const second = () => at.clock.advance(1000)
  /** Everyday life with an alarm: events of all groups. */
  const live = () => {
    at.panel.lowBattery(at.panel.zone(bedroom).id)
    second()
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    second()
    at.panel.open(kitchen)
    second()
    at.panel.close(kitchen)
    second()
    at.panel.disarm(1)
    second()
    at.panel.restoreBattery(at.panel.zone(bedroom).id)
  }

  it('arrive in their order while it is online', () => {
    live()
    assert.deepEqual(types(), [45, 85, 2, 20, 31, 173, 46])
  })

  // @spec report-priority
  it('arrive after an outage by their priority, alarms first and alerts last, with their own times and rising ids', () => {
    at.panel.goOffline()
    live()
    at.panel.goOnline()
    assert.deepEqual(types(), [998, 999, 2, 20, 31, 85, 173, 45, 46])
    assert.deepEqual(times().slice(2), [
      '12:00:02',
      '12:00:03',
      '12:00:04',
      '12:00:01',
      '12:00:04',
      '12:00:00',
      '12:00:05',
    ])
    const ids = at.panel.events.map(({ event }) => event)
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => one - other),
    )
  })

  it('arrive in order of time within a group, and a duress among the alarms', () => {
    at.panel.goOffline()
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.disarm(1)
    at.panel.log({ type_id: 15 })
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    at.panel.goOnline()
    assert.deepEqual(types(), [998, 999, 15, 85, 89, 86])
  })

  for (const [reports, expected] of [
    ['all', [45, 85, 2, 20, 31, 173, 46]],
    ['all-but-open-close', [45, 2, 20, 31, 46]],
    ['alarms', [2, 20, 31]],
    ['none', []],
  ] as const)
    it(`are those of the chosen groups only, if the panel reports ${reports}`, () => {
      at.panel.setOptions({ reports })
      live()
      assert.deepEqual(types(), expected)
    })

  // @spec report-groups
  it('are those of the service in any case', () => {
    at.panel.setOptions({ reports: 'none' })
    at.panel.goOffline()
    at.panel.goOnline()
    assert.deepEqual(types(), [998, 999])
  })

  it('are of the alarm that the list shows, or none', () => {
    at.panel.setOptions({ reports: 'none' })
    live()
    assert.deepEqual(
      at.panel.report().alarms.map(({ evt_id }) => evt_id),
      [0],
    )
  })
})

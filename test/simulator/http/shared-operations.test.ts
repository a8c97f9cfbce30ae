import assert from 'node:assert/strict'
import { installerAt } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { catalogueEnUs } from '../../../src/service/catalogue/en-us.ts'

interface Entry {
  id: number
  location: string
  description: string
  partition: string
  time: string
}

describe('the shared responses of both services', () => {
  const at = useSimulatorHarness(installerAt)

  const log = async (): Promise<Entry[]> => (await at.caller.get('standard_log')).body

  // @spec 4.7
  it('list the log of the panel newest first, with the codes of the catalogue', async () => {
    const panel = at.simulator.world.panel('A1B2C3')
    panel.arm(1, 'HOME', { user: 'Ben', exitDelay: 0 })
    at.clock.advance(60_000)
    panel.open(2)
    panel.disarm(-1)
    const [cancelled, after, alarm, armed] = await log()
    assert.equal(cancelled?.description, 'Disarm after alarm')
    assert.equal(after?.description, 'Cancel Alarm')
    assert.deepEqual(alarm, {
      id: 2,
      location: 'Zone 2',
      description: 'Perimeter Alarm',
      partition: '1',
      time: '2026-11-20 12:01:00',
    })
    assert.deepEqual(armed, {
      id: 81,
      location: 'User 2',
      description: 'Arm Home',
      partition: '1',
      time: '2026-11-20 12:00:00',
    })
    assert.equal(after?.partition, '')
  })

  // @spec 6.1
  it('start the log with the commissioning of the panel, with codes of the catalogue', async () => {
    const entries = await log()
    assert.ok(entries.length >= 5)
    for (const { id, description } of entries) {
      assert.ok(catalogueEnUs.some((type) => type.vis === String(id) && type.description === description))
    }
    const times = entries.map(({ time }) => time)
    assert.deepEqual(times, [...times].sort().reverse())
    assert.equal(entries.at(-1)?.description, 'System Reset')
  })

  it('sort late events by time in the log, and omit those of the service', async () => {
    const panel = at.simulator.world.panel('A1B2C3')
    panel.goOffline()
    panel.tamper(2)
    panel.goOnline()
    panel.log({ type_id: 105, datetime: '2026-11-20 11:00:00' })
    const [first, second, third] = await log()
    assert.deepEqual([first?.description, second?.description], ['Tamper', 'Wrong Password'])
    assert.equal(third?.description, 'Auto Test')
  })

  // @spec 4.9
  it('contain the last remote inspection with its nine tests', async () => {
    const { body } = await at.caller.get('rri_results')
    assert.match(body.rri_timestamp, /^2026-11-15 \d\d:\d\d:\d\d$/)
    const tests: { test_type: number; state: string; details: object[] }[] = body.tests
    assert.deepEqual(
      tests.map(({ test_type }) => test_type),
      [1, 2, 3, 4, 5, 6, 8, 9, 10],
    )
    assert.deepEqual(new Set(tests.map(({ state }) => state)), new Set(['pass', 'fail', 'not_available']))
    assert.deepEqual(tests[0]?.details, [{ detail_name: '', description: '', timestamp: '' }])
    assert.deepEqual(tests[5]?.details, [
      { detail_name: '7', description: 'Utility room', timestamp: '0000-00-00 00:00:00' },
    ])
  })

  // @spec 4.10
  it('list downloaded configurations, dated with offsets without a colon', async () => {
    const { body } = await at.caller.get('configuration_list')
    assert.equal(body.length, 3)
    assert.deepEqual(Object.keys(body[0]), ['id', 'date', 'verified_at', 'backup'])
    for (const { date, verified_at } of body) {
      for (const time of [date, verified_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+\d{4}$/)
      assert.ok(date < verified_at)
    }
    // 9.3 days before the start of the world, one hour east of Greenwich.
    assert.equal(body[2].date, '2026-11-11T05:48:00+0100')
  })
})

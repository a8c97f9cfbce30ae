import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

/** Runs a world for some seconds; returns the seconds in which a panel changed, except its measurements. */
async function changes(seed: number, seconds: number): Promise<{ simulator: Simulator; seen: number[][] }> {
  const clock = new FakeClock()
  const simulator = await startSimulator({ clock, scenario: 'day', seed })
  const { panels } = simulator.world
  const snapshot = () =>
    panels.map((panel) => {
      const { partitions, devices } = panel.report()
      return JSON.stringify([
        partitions,
        devices.map((device) => device.warnings),
        panel.events.at(-1)?.event,
      ])
    })
  const seen: number[][] = panels.map(() => [])
  let before = snapshot()
  for (let second = 1; second <= seconds; second += 1) {
    clock.advance(1000)
    const now = snapshot()
    for (const [index, one] of now.entries()) if (one !== before[index]) seen[index]?.push(second)
    before = now
  }
  return { simulator, seen }
}

describe('the calm scenario', () => {
  it('changes nothing by itself', async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock })
    assert.equal(clock.pending, 0)
    assert.deepEqual(simulator.world.panels[0]?.events, [])
    await simulator.close()
  })
})

describe('the day scenario', () => {
  it('starts with the events of the last day, in order', async () => {
    const simulator = await startSimulator({ clock: new FakeClock(), scenario: 'day' })
    for (const { events } of simulator.world.panels) {
      assert.equal(events.length, 15)
      const dates = events.map(({ datetime }) => datetime)
      assert.deepEqual(dates, [...dates].sort())
      assert.ok((dates[0] ?? '') > '2026-11-19 12:00:00')
      assert.ok((dates.at(-1) ?? '') < '2026-11-20 12:00:00')
      assert.ok(new Set(dates).size < dates.length, 'some events share a second')
    }
    await simulator.close()
  })

  it('makes a change within 10 seconds that arms and opens nothing, then waits five minutes, then lives its day', async () => {
    const { simulator, seen } = await changes(1, 3600)
    for (const times of seen) {
      assert.ok((times[0] ?? 99) <= 10)
      const later = times.filter((time) => time > 60)
      assert.ok((later[0] ?? 0) >= 300 && (later[0] ?? 999) <= 345, `${later[0]}`)
      for (const [index, time] of later.slice(1).entries())
        assert.ok(time - (later[index] ?? 0) <= 40, `nothing between ${later[index]} and ${time}`)
    }
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  it('repeats the same events for the same seed, and others for another', async () => {
    const one = await changes(5, 600)
    const same = await changes(5, 600)
    const other = await changes(6, 600)
    assert.deepEqual(one.seen, same.seen)
    assert.notDeepEqual(one.seen, other.seen)
    for (const { simulator } of [one, same, other]) await simulator.close()
  })

  it('contains every kind of event within a few hours, but no alarm caused by residents', async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock, scenario: 'day' })
    const [panel] = simulator.world.panels
    panel?.clearEvents()
    const types = new Set<number>()
    const states = new Set<string>()
    const temperatures = new Set<number>()
    for (let second = 0; second < 4 * 3600; second += 1) {
      clock.advance(1000)
      for (const event of panel?.events ?? []) types.add(event.type_id)
      states.add(`${panel?.partitions[0]?.state} ${panel?.partitions[0]?.status}`)
      temperatures.add(panel?.zone(4).traits.meteo_info?.temperature?.value ?? 0)
    }
    for (const type of [86, 89, 85, 2, 20, 31, 173, 8, 26, 45, 46, 81, 82]) {
      assert.ok(types.has(type), `no event ${type}`)
    }
    for (const type of [1, 3, 98, 998, 999]) assert.ok(!types.has(type), `event ${type}`)
    assert.deepEqual([...states].sort(), [
      'AWAY ',
      'AWAY EXIT',
      'DISARM ',
      'ENTRY_DELAY ',
      'HOME ',
      'HOME EXIT',
    ])
    assert.ok(temperatures.size > 3)
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  it('never loses the connection by itself', async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock, scenario: 'day' })
    for (let second = 0; second < 2 * 3600; second += 1) {
      clock.advance(1000)
      assert.ok(simulator.world.panels.every(({ online, connected }) => online && connected))
    }
    await simulator.close()
  })

  it('gives way to an action: ends what it does, leaves the house at rest, and waits five minutes', async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock, scenario: 'day' })
    const [panel] = simulator.world.panels
    assert.ok(panel?.residents)
    const { residents } = panel
    for (let round = 0; round < 40; round += 1) {
      while (!residents.plan.isBusy) clock.advance(1000)
      // At another point of each scene.
      clock.advance(round * 1000)
      residents.giveWay()
      assert.ok(panel.disarmed)
      assert.ok(panel.partitions.every((partition) => panel.isReady(partition)))
      assert.deepEqual([residents.plan.isBusy, residents.plan.seconds], [false, 300])
      const before: number = panel.events.length
      clock.advance(299_000)
      assert.equal(panel.events.length, before)
    }
    await simulator.close()
  })

  it('tells what comes next, and does nothing while it is switched off', async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock, scenario: 'day' })
    const [panel] = simulator.world.panels
    assert.ok(panel?.residents)
    const { residents } = panel
    assert.deepEqual(residents.plan, {
      isOn: true,
      isBusy: false,
      next: 'a battery runs low and is replaced',
      seconds: 5,
    })
    residents.turn(false)
    const events = panel.events.length
    clock.advance(3_600_000)
    residents.welcome()
    residents.giveWay()
    clock.advance(3_600_000)
    assert.equal(panel.events.length, events)
    assert.equal(residents.plan.isOn, false)
    residents.turn(true)
    clock.advance(6000)
    assert.ok(residents.plan.isBusy)
    await simulator.close()
  })

  it('pauses while another client has armed the panel', async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock, scenario: 'day' })
    const [panel] = simulator.world.panels
    panel?.arm(1, 'AWAY')
    clock.advance(600_000)
    assert.equal(panel?.partitions[0]?.state, 'AWAY')
    assert.equal(panel?.events.at(-1)?.type_id, 86)
    await simulator.close()
  })
})

describe('the climate in the rooms', () => {
  /** The measurements of each detector in two days, in order. */
  let temperatures: number[][]
  let brightnesses: number[][]

  before(async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock, scenario: 'day' })
    const detectors = simulator.world.panels.flatMap((panel) => panel.devices)
    const follow = (quantity: 'temperature' | 'brightness') => {
      const measured = detectors.filter(({ traits }) => traits.meteo_info?.[quantity])
      const now = () => measured.map(({ traits }) => traits.meteo_info?.[quantity])
      const values = now().map((one) => [one?.value ?? 0])
      let before = now()
      return {
        values,
        look: () => {
          for (const [index, one] of now().entries())
            if (one && one.date !== before[index]?.date) values[index]?.push(one.value)
          before = now()
        },
      }
    }
    const both = [follow('temperature'), follow('brightness')]
    for (let second = 0; second < 2 * 24 * 3600; second += 10) {
      clock.advance(10_000)
      for (const { look } of both) look()
    }
    ;[temperatures = [], brightnesses = []] = both.map(({ values }) => values)
    await simulator.close()
  })

  it('changes by half a degree and stays near the usual temperature', () => {
    assert.ok(temperatures.every((values) => values.length > 100))
    for (const [usual = 0, ...values] of temperatures) {
      for (const [index, value] of values.entries()) {
        assert.ok([0, 0.5].includes(Math.abs(value - (values[index - 1] ?? usual))), `${value}`)
        assert.ok(Math.abs(value - usual) <= 3, `${value} near ${usual}`)
      }
    }
    assert.ok(
      temperatures.some(([usual = 0, ...values]) => values.some((one) => Math.abs(one - usual) === 3)),
    )
  })

  it('never has a negative brightness, and always changes', () => {
    assert.ok(brightnesses.every((values) => values.length > 100))
    for (const values of brightnesses) {
      for (const [index, value] of values.entries())
        assert.ok(value >= 0 && value !== values[index - 1], `${values[index - 1]} became ${value}`)
    }
  })
})

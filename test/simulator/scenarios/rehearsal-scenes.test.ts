import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { minute } from '../../../src/duration.ts'
import {
  planFor,
  playScene,
  type RehearsalScene,
  rehearsalScenes,
} from '../../../src/simulator/scenarios/rehearsal-scenes.ts'
import { startSimulator } from '../../../src/simulator/simulator.ts'
import { hasWarning } from '../../../src/simulator/world/device.ts'
import type { PanelPlan } from '../../../src/simulator/world/panel.ts'
import { usualOptions } from '../../../src/simulator/world/panel-options.ts'
import { createSites } from '../../../src/simulator/world/sample-sites.ts'

/** The types of the events of each scene in a house that has all kinds of zones. */
const eventsOf: Record<RehearsalScene, number[]> = {
  'burglary-entry': [86, 3, 1, 19, 31, 173, 21],
  'burglary-window': [85, 2, 31, 173, 20],
  fire: [36, 37],
  water: [81, 82],
  panic: [13, 31, 42, 173],
  duress: [86, 15, 89],
  'nobody-leaves': [86, 89],
  tamper: [8, 26],
  'low-battery': [45, 46],
  'power-cut': [47, 48],
  offline: [998, 999],
}

const [house, cottage] = createSites(2, '') as [PanelPlan, PanelPlan]
const bare: PanelPlan = { ...cottage, devices: [] }

/** Plays a scene until its end, or for some milliseconds. */
async function play(scene: RehearsalScene, plan: PanelPlan, { pace = 1, duration = 5 * minute } = {}) {
  const clock = new FakeClock()
  const simulator = await startSimulator({ clock, plans: [planFor(scene, plan)] })
  const [panel] = simulator.world.panels
  assert.ok(panel)
  let isOver = false
  let deeds = 0
  const onEnd = () => {
    isOver = true
  }
  const end = playScene(scene, panel, simulator.world.time, pace, onEnd, () => {
    deeds += 1
  })
  clock.advance(duration)
  end()
  const events = panel.events.map(({ type_id }) => type_id)
  const isCalm =
    panel.disarmed && panel.online && !panel.devices.some((device) => hasWarning(device, 'OPENED'))
  await simulator.close()
  return { isOver, deeds, events, isCalm, defects: simulator.defects }
}

describe('The scenes of a rehearsal', () => {
  for (const scene of rehearsalScenes)
    it(`play ${scene} and leave all disarmed and closed, in any house`, async () => {
      const { events, ...rest } = await play(scene, house)
      assert.deepEqual(events, eventsOf[scene])
      assert.deepEqual(rest, { isOver: true, deeds: 1, isCalm: true, defects: [] })
      for (const [plan, pace] of [
        [cottage, 1],
        [bare, 1],
        [house, 4],
      ] as const) {
        const other = await play(scene, plan, { pace })
        assert.deepEqual([other.isOver, other.isCalm, other.defects], [true, true, []])
        assert.ok(eventsOf[scene].every((type) => other.events.includes(type) || [1, 19].includes(type)))
      }
    })

  it('arm away and stay home if nobody leaves, and leave the panel as its installer has set it', async () => {
    const clock = new FakeClock()
    const { world, close } = await startSimulator({ clock, plans: [house] })
    const [panel] = world.panels
    const states = new Set<string>()
    const end = playScene('nobody-leaves', panel ?? assert.fail(), world.time, 1, () => {})
    for (let seconds = 0; seconds < 60; seconds += 1) {
      states.add(`${panel?.partitions[0]?.state} ${panel?.partitions[0]?.status}`.trim())
      clock.advance(1000)
    }
    end()
    assert.deepEqual([[...states], panel?.options], [['AWAY EXIT', 'HOME', 'DISARM'], usualOptions])
    await close()
  })

  it('leave all disarmed and closed if they are ended early', async () => {
    for (const scene of rehearsalScenes)
      for (const duration of [1000, 30_000, 50_000])
        assert.equal((await play(scene, house, { duration })).isCalm, true, `${scene} ${duration}`)
  })
})

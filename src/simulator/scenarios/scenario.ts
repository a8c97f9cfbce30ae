import { Random } from '../random.ts'
import type { Panel } from '../world/panel.ts'
import type { World } from '../world/world.ts'
import type { WorldTime } from '../world/world-time.ts'
import { climate } from './climate.ts'
import { writeHistory } from './history.ts'
import { airing, cutLine, forgottenWindow, leak, outing, stageOf, tampering, weakBattery } from './scenes.ts'

/** The activity in the simulated world: none, or the day of a household. */
export type Scenario = 'calm' | 'day'

/** All scenarios. */
export const scenarios: readonly Scenario[] = ['calm', 'day']

const repertoire = [outing, airing, weakBattery, forgottenWindow, airing, tampering, outing, leak, cutLine]

/** Starts a scenario in `world`; it ends with the schedule of the world. */
export function startScenario(scenario: Scenario, world: World, seed: number): void {
  if (scenario === 'calm') return
  for (const [index, panel] of world.panels.entries()) {
    writeHistory(panel, world.time.now())
    play(life(panel, new Random(seed + 100 + index)), world.time)
    play(flapping(panel, new Random(seed + 300 + index)), world.time)
    play(climate(panel, new Random(seed + 200 + index)), world.time)
  }
}

/**
 * Runs something visible every 15 to 40 seconds without end, the first time after 5.
 *
 * While another client has armed the panel, e.g. a flow, it pauses so that it does not trigger alarms.
 */
function* life(panel: Panel, random: Random): Generator<number, void> {
  const stage = stageOf(panel, random)
  yield 5
  let scene = outing
  for (;;) {
    if (panel.disarmed) {
      yield* scene(stage)
      const last = scene
      scene = random.pick(repertoire.filter((other) => other !== last)) ?? outing
    }
    yield random.between(15, 25)
  }
}

/** Sets `connected` to false for 90 seconds now and then, although nothing is wrong (field fact). */
function* flapping(panel: Panel, random: Random): Generator<number, void> {
  for (;;) {
    yield random.between(600, 3000)
    panel.flap(90)
  }
}

/** Runs a script to its end: after each step it waits for the seconds that the script yields. */
function play(script: Generator<number, void>, time: WorldTime): void {
  const { done, value } = script.next()
  if (!done) time.after(value, () => play(script, time))
}

import { Random } from '../random.ts'
import type { Panel } from '../world/panel.ts'
import type { World } from '../world/world.ts'
import type { WorldTime } from '../world/world-time.ts'
import { changeClimate } from './climate.ts'
import { writeHistory } from './history.ts'
import {
  airing,
  createStage,
  cutLine,
  forgottenWindow,
  leak,
  outing,
  tampering,
  weakBattery,
} from './scenes.ts'

/** The activity in the simulated world: nothing (`calm`), or the day of a household. */
export type Scenario = 'calm' | 'day'

/** All scenarios. */
export const scenarios: readonly Scenario[] = ['calm', 'day']

const scenes = [outing, airing, weakBattery, forgottenWindow, airing, tampering, outing, leak, cutLine]

/** Starts a scenario in `world`; it ends with the schedule of the world. */
export function startScenario(scenario: Scenario, world: World, seed: number): void {
  if (scenario === 'calm') return
  for (const [index, panel] of world.panels.entries()) {
    writeHistory(panel, world.time.now())
    runScript(playScenes(panel, new Random(seed + 100 + index)), world.time)
    runScript(flapConnection(panel, new Random(seed + 300 + index)), world.time)
    runScript(changeClimate(panel, new Random(seed + 200 + index)), world.time)
  }
}

/**
 * Runs something visible every 15 to 40 seconds without end, the first time after 5.
 *
 * While another client has armed the panel, e.g. a flow, it pauses so that it does not trigger alarms.
 */
function* playScenes(panel: Panel, random: Random): Generator<number, void> {
  const stage = createStage(panel, random)
  yield 5
  let scene = outing
  for (;;) {
    if (panel.disarmed) {
      yield* scene(stage)
      const last = scene
      scene = random.pick(scenes.filter((other) => other !== last)) ?? outing
    }
    yield random.between(15, 25)
  }
}

/** Sets `connected` to false for 90 seconds now and then, although nothing is wrong (field fact). */
function* flapConnection(panel: Panel, random: Random): Generator<number, void> {
  for (;;) {
    yield random.between(600, 3000)
    panel.flap(90)
  }
}

/** Runs a script to its end: after each step it waits for the seconds that the script yields. */
function runScript(script: Generator<number, void>, time: WorldTime): void {
  const { done, value } = script.next()
  if (!done) time.after(value, () => runScript(script, time))
}

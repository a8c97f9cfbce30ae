import type { Panel } from '../world/panel.ts'
import { Random } from '../world/random.ts'
import type { World } from '../world/world.ts'
import type { WorldTime } from '../world/world-time.ts'
import { climate } from './climate.ts'
import { writeHistory } from './history.ts'
import { airing, cutLine, forgottenWindow, leak, outing, stageOf, tampering, weakBattery } from './scenes.ts'

/** What goes on by itself: nothing, or a household's day. */
export type Scenario = 'calm' | 'day'

/** Every scenario there is. */
export const scenarios: readonly Scenario[] = ['calm', 'day']

const repertoire = [outing, airing, weakBattery, forgottenWindow, airing, tampering, outing, leak, cutLine]

/** Sets a scenario going in `world`; it ends with the world's schedule. */
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
 * Something visible every 15 to 40 seconds, for ever; the first after 5.
 *
 * While somebody else has armed the panel, a flow for instance, life waits instead of setting off alarms.
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

/** Now and then `connected` says false for 90 seconds, although nothing is wrong (field fact). */
function* flapping(panel: Panel, random: Random): Generator<number, void> {
  for (;;) {
    yield random.between(600, 3000)
    panel.flap(90)
  }
}

/** Plays a script: lets it act, waits the seconds that it yields, and so on to its end. */
function play(script: Generator<number, void>, time: WorldTime): void {
  const { done, value } = script.next()
  if (!done) time.after(value, () => play(script, time))
}

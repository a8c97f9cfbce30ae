import type { Clock } from '../../src/clock.ts'
import { Random } from '../../src/simulator/random.ts'
import {
  airing,
  createStage,
  forgottenWindow,
  leak,
  outing,
  type Scene,
  tampering,
  weakBattery,
} from '../../src/simulator/scenarios/scenes.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** The connection to the service fails for a while. */
const cutLine: Scene = function* ({ panel }) {
  panel.goOffline()
  yield 30
  panel.goOnline()
}

const repertoire = [outing, airing, weakBattery, forgottenWindow, airing, tampering, outing, leak, cutLine]

/** Runs household events at a panel at a realistic pace, slower than in the demo; pauses while `isQuiet`. */
export function startQuietScenario(
  panel: Simulator['world']['panels'][number],
  clock: Clock,
  seed: number,
  isQuiet: () => boolean,
): void {
  const play = (life: Generator<number, void>) => {
    const { value } = life.next()
    if (value !== undefined) clock.after(value * 1000, () => play(life))
  }
  play(life(panel, new Random(seed), isQuiet))
}

/** Yields the seconds until the next event. */
function* life(
  panel: Parameters<typeof createStage>[0],
  random: Random,
  isQuiet: () => boolean,
): Generator<number, void> {
  const stage = createStage(panel, random)
  const detectors = panel.devices.filter(({ traits }) => traits.meteo_info?.temperature)
  for (;;) {
    yield random.between(600, 3600)
    if (isQuiet()) continue
    for (const { id } of detectors) panel.measure(id, 'temperature', 15 + random.between(0, 20) / 2)
    if (random.next() < 0.1) panel.flap()
    if (panel.disarmed) yield* (random.pick(repertoire) ?? outing)(stage)
  }
}

import { minute } from '../../duration.ts'
import { Random } from '../random.ts'
import { deviceSource } from '../world/device.ts'
import type { EventFields } from '../world/event-log.ts'
import type { Panel } from '../world/panel.ts'
import { userSource } from '../world/users.ts'
import type { World } from '../world/world.ts'
import { isoSpace, type WorldTime } from '../world/world-time.ts'
import { Household } from './household.ts'

/** The activity in the simulated world: nothing (`calm`), or the day of a household. */
export type Scenario = 'calm' | 'day'

/** All scenarios. */
export const scenarios: readonly Scenario[] = ['calm', 'day']

/** Starts a scenario in `world`; it ends with the schedule of the world. */
export function startScenario(scenario: Scenario, world: World, seed: number): void {
  if (scenario === 'calm') return
  for (const [index, panel] of world.panels.entries()) {
    writeHistory(panel, world.time.now())
    panel.residents = new Household(panel, world.time, new Random(seed + 100 + index))
    runScript(changeClimate(panel, new Random(seed + 200 + index)), world.time)
  }
}

/** Runs a script to its end: after each step it waits for the seconds that the script yields. */
function runScript(script: Generator<number, void>, time: WorldTime): void {
  const { done, value } = script.next()
  if (!done) time.after(value, () => runScript(script, time))
}

/** Causes of an event: a user by number, the front door, the service, or the panel itself. */
type Cause = 1 | 2 | 'door' | 'service' | 'panel'

/** Events from yesterday until 15 minutes ago: minutes ago, type id, cause. */
const pastEvents: readonly (readonly [minutesAgo: number, typeId: number, cause: Cause])[] = [
  [1423, 89, 1],
  [1310, 86, 2],
  [1012, 3, 'door'],
  [1011, 31, 2],
  [1011, 21, 'door'],
  [1011, 173, 'panel'],
  [860, 85, 1],
  [431, 89, 1],
  [415, 57, 'panel'],
  [402, 993, 'service'],
  [402, 998, 'service'],
  [397, 994, 'service'],
  [397, 999, 'service'],
  [260, 86, 1],
  [16, 89, 1],
]

/** Adds the events of the last day, so that a new world has a history. */
export function writeHistory(panel: Panel, now: number): void {
  for (const [minutesAgo, type_id, cause] of pastEvents) {
    panel.log({ type_id, datetime: isoSpace(now - minutesAgo * minute), ...createSource(panel, cause) })
  }
}

function createSource(panel: Panel, cause: Cause): Omit<EventFields, 'type_id'> {
  if (cause === 'panel') return {}
  if (cause === 'service') return { appointment: 'IPMP', device_type: 'IPMP', zone: null }
  if (cause === 'door') return deviceSource(panel.zone(1))
  const user = panel.plan.users[cause - 1]
  return userSource(panel.plan.users, user === undefined ? {} : { user })
}

const brightnessSteps = [0, 1, 2, 4, 8, 15, 30, 60, 120, 250]
const maxDifference = 3

/**
 * Returns the next temperature: half a degree up or down or the same, always near the usual one of the room.
 */
function nextTemperature(now: number, usual: number, chance: number): number {
  if (now - usual >= maxDifference) return now - 0.5
  if (usual - now >= maxDifference) return now + 0.5
  return now + (Math.floor(chance * 3) - 1) / 2
}

/** Returns the next brightness in lux: a little darker or brighter. */
function nextBrightness(now: number, chance: number): number {
  const step = brightnessSteps.findIndex((lux) => lux >= now)
  const from = step === -1 ? brightnessSteps.length - 1 : step
  const to = from + (chance < 0.5 ? -1 : 1)
  return brightnessSteps[to] ?? brightnessSteps[from === 0 ? 1 : from - 1] ?? now
}

/** Measures one quantity with one detector every 20 to 35 seconds: readings are sparse (field fact). */
function* changeClimate(panel: Panel, random: Random): Generator<number, void> {
  const usualTemperatures = new Map(
    panel.devices.map(({ id, traits }) => [id, traits.meteo_info?.temperature?.value]),
  )
  const detectors = panel.devices.filter(({ traits }) => traits.meteo_info)
  while (detectors.length > 0) {
    yield random.between(20, 35)
    const device = random.pick(detectors)
    const { temperature, brightness } = device?.traits.meteo_info ?? {}
    if (!device) continue
    if (brightness && (!temperature || random.next() < 0.5)) {
      panel.measure(device.id, 'brightness', nextBrightness(brightness.value, random.next()))
    } else if (temperature) {
      const usual = usualTemperatures.get(device.id) ?? temperature.value
      panel.measure(device.id, 'temperature', nextTemperature(temperature.value, usual, random.next()))
    }
  }
}

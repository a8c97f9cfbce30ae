import type { Random } from '../random.ts'
import type { Panel } from '../world/panel.ts'

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
export function* changeClimate(panel: Panel, random: Random): Generator<number, void> {
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

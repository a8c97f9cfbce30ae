import type { Device } from '../../service/responses/devices.ts'

/** Warnings that are no trouble: what the device detects, and what is over and only remembered. */
const noTrouble: ReadonlySet<string> = new Set([
  ...['OPENED', 'BYPASS', 'FIRE', 'PANIC', 'EMERGENCY', 'SMOKE_OPEN', 'HEAT_OPEN', 'COLD_ALERT', 'HOT_ALERT'],
  ...['FREEZER_ALERT', 'FREEZING_ALERT', 'ALARM_IN_MEMORY'],
])

/** Returns the types of the warnings that stand now, each once. */
export function standing({ warnings }: Device): string[] {
  const types = warnings.filter(({ in_memory, type }) => !in_memory && !type.endsWith('_MEMORY'))
  return [...new Set(types.map(({ type }) => type))].toSorted()
}

/** Returns the types of the standing warnings that are a trouble of the device. */
export function troubles(device: Device): string[] {
  return standing(device).filter((type) => !noTrouble.has(type))
}

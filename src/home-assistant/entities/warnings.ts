import { standing } from '../../panel/devices/readings.ts'
import type { Device } from '../../service/responses/devices.ts'

/** Warnings that tell that a detector of a hazard detects it. */
const hazards: ReadonlySet<string> = new Set([
  ...[
    'OPENED',
    'FIRE',
    'SMOKE_OPEN',
    'HEAT_OPEN',
    'COLD_ALERT',
    'HOT_ALERT',
    'FREEZER_ALERT',
    'FREEZING_ALERT',
  ],
])

/** Returns true if a warning stands that tells that a detector of a hazard detects it. */
export function detectsHazard(device: Device): boolean {
  return standing(device).some((type) => hazards.has(type))
}

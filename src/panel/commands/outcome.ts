import type { Device } from '../../service/responses/devices.ts'
import { isZone } from './blocking-zones.ts'
import type { Bypass, SetState } from './command.ts'
import { called, doing, meant, type Situation } from './situation.ts'

/** Returns true if the commanded partitions are in the commanded state, or in the exit delay to it. */
export function showsState({ partition, state }: SetState, situation: Situation): boolean {
  const partitions = meant(situation, partition)
  return partitions.length > 0 && partitions.every((one) => one.state === state)
}

/** Returns true if the zone's bypass is as commanded. */
export function showsBypass({ zone, enabled }: Bypass, devices: readonly Device[]): boolean {
  const found = devices.find((device) => isZone(device) && device.device_number === zone)
  return found?.traits.bypass?.enabled === enabled
}

/** Returns a sentence about what the panel shows of the commanded partitions. */
export function shown({ partition }: SetState, situation: Situation): string {
  const partitions = meant(situation, partition).map((one) => `${called(one)} is ${doing(one)}`)
  return `The panel shows: ${partitions.join(', ') || 'no such partition'}.`
}

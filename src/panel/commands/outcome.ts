import type { Device } from '../../service/devices.ts'
import type { Bypass, SetState } from './command.ts'
import { isZone } from './obstacles.ts'
import { called, doing, meant, type Situation } from './situation.ts'

/** Whether the partitions that are meant are in the state that was commanded, or on their way out into it. */
export function showsState({ partition, state }: SetState, situation: Situation): boolean {
  const partitions = meant(situation, partition)
  return partitions.length > 0 && partitions.every((one) => one.state === state)
}

/** Whether the zone is bypassed or not as it was commanded. */
export function showsBypass({ zone, enabled }: Bypass, devices: readonly Device[]): boolean {
  const found = devices.find((device) => isZone(device) && device.device_number === zone)
  return found?.traits.bypass?.enabled === enabled
}

/** What the panel shows of the partitions that were meant. */
export function shown({ partition }: SetState, situation: Situation): string {
  const partitions = meant(situation, partition).map((one) => `${called(one)} is ${doing(one)}`)
  return `The panel shows: ${partitions.join(', ') || 'no such partition'}.`
}

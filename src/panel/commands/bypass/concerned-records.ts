import { concerns, wholePanel } from '../../../service/responses/status.ts'
import type { CommandTurn } from '../command-queue.ts'
import { type CommandedPanel, CurrentState } from '../current-state.ts'
import { findZone } from './bypass-policy.ts'
import type { BypassRecord, BypassRecords } from './bypass-records.ts'

/**
 * Returns the records that concern a partition: its own, that of the whole panel, and those of other partitions that
 * share a zone with it. Only for these the devices are read.
 * @throws KeyholderError
 */
export async function recordsOf(
  partition: number,
  { all }: BypassRecords,
  panel: CommandedPanel,
  turn: CommandTurn,
): Promise<BypassRecord[]> {
  const isSame = (record: BypassRecord) =>
    [partition, record.partition].includes(wholePanel) || partition === record.partition
  if (all.every(isSame)) return all
  const state = new CurrentState(panel, turn.cancellation)
  const { value: devices } = await state.devices(panel.account.clock.monotonic())
  const isShared = (zone: number) => concerns(findZone(zone, devices)?.partitions ?? [], partition)
  return all.filter((record) => isSame(record) || record.zones.some(isShared))
}

import { ageOf, momentOf } from '../../../clock.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { zoneNamed } from '../blocking-zones.ts'
import { CommandExecution } from '../command-execution.ts'
import { maxFollowTime } from '../command-progress.ts'
import type { CommandTurn } from '../command-queue.ts'
import { type ConfirmedAt, showsBypass } from '../command-result.ts'
import { type CommandedPanel, CurrentState } from '../current-state.ts'
import { onlineRefusal } from '../preconditions.ts'
import { type BypassRecord, type Settlement, settlementOf } from './bypass-record.ts'
import type { BypassRecords } from './bypass-records.ts'

/** The step that was taken for a record, and a sentence about it. */
export interface Settled {
  what: Settlement
  /** The times of the answer that shows the state of the panel. */
  seen: ConfirmedAt
  sentence: string
  /** True if zones are left that are taken back in the next turn. */
  isPartial: boolean
}

/** The parts that settle a record in the turn of a command. */
export interface SettlingTurn {
  panel: CommandedPanel
  records: BypassRecords
  turn: CommandTurn
  /** Aborted when the flow or the panel stops. */
  signal: AbortSignal
  /** Commands that are sent at most. */
  maxSteps: number
}

/**
 * Does what is to be done about the record of a partition; returns undefined if there is none.
 * @throws KeyholderError
 */
export async function settleRecord(partition: number, settling: SettlingTurn): Promise<Settled | undefined> {
  const { panel, records, turn } = settling
  const record = records.get(partition)
  if (record === undefined) return undefined
  const state = new CurrentState(panel, turn.cancellation)
  const now = panel.account.clock.monotonic()
  const seen = await state.situation(now)
  const refusal = onlineRefusal(seen.value)
  if (refusal !== undefined) throw refusal
  const what = settlementOf(record, seen.value)
  const settled = { what, seen, isPartial: false }
  const zones = `${zonesOf([record])} ${record.zones.length === 1 ? 'is' : 'are'}`
  switch (what) {
    case 'armed':
      if (record.phase !== 'armed') await records.put({ ...record, phase: 'armed' })
      return { ...settled, sentence: `${zones} bypassed for it.` }
    case 'forget':
      await records.remove(partition)
      return { ...settled, sentence: `${zones} left as the panel has them.` }
    case 'wait':
      return { ...settled, sentence: `${zones} still bypassed, until the panel is disarmed.` }
    default: {
      const { value: devices } = await state.devices(now)
      const isPartial = await takeBack(record, devices, settling)
      const names = record.zones.map((zone) => zoneNamed(zone, devices)).join(', ')
      return { ...settled, isPartial, sentence: `The bypass was taken back of ${names}.` }
    }
  }
}

/** Removes the bypass of the zones of a record. Returns true if some are left. */
async function takeBack(
  record: BypassRecord,
  devices: readonly Device[],
  { panel, records, turn, signal, maxSteps }: SettlingTurn,
): Promise<boolean> {
  // The service may show a change of the panel a little later.
  const isRecent = ageOf(record.at, momentOf(panel.account.clock)) < maxFollowTime
  let failure: unknown
  // A file that cannot be written prevents no step: what it holds leads to the same steps again.
  const note = (writing: Promise<void>) =>
    writing.catch((thrown) => {
      failure = thrown
    })
  let left: BypassRecord = { ...record, phase: 'restoring' }
  if (record.phase !== 'restoring') await note(records.put(left))
  let steps = 0
  for (const zone of record.zones) {
    if (isRecent || showsBypass({ action: 'bypass', zone, enabled: true }, devices)) {
      if (steps === maxSteps && failure === undefined) return true
      // Without a record, the next turn would begin with the same zone.
      if (steps === maxSteps) throw failure
      steps += 1
      const command = { action: 'bypass', zone, enabled: false } as const
      await new CommandExecution(command, panel, turn, signal).sendAndFollow()
    }
    left = { ...left, zones: left.zones.filter((other) => other !== zone) }
    await note(left.zones.length > 0 ? records.put(left) : records.remove(record.partition))
  }
  if (failure !== undefined) throw failure
  return false
}

/** Returns the zones of records for a sentence. */
export function zonesOf(records: readonly BypassRecord[]): string {
  const zones = records.flatMap((record) => record.zones)
  return `${zones.length === 1 ? 'Zone' : 'Zones'} ${zones.join(', ')}`
}

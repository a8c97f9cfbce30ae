import type { Answer } from '../../../account/answer.ts'
import { ageOf, delay, momentOf } from '../../../clock.ts'
import { day, second } from '../../../duration.ts'
import { asKeyholderError, KeyholderError } from '../../../service/error.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { concerns, wholePanel } from '../../../service/responses/status.ts'
import { chronological } from '../../events/event-order.ts'
import { type AnswerTimes, afterAnswer, type ListRecord, nothingKnown } from '../../snapshot.ts'
import { capitalized, unknownOutcome } from '../command.ts'
import { CommandExecution } from '../command-execution.ts'
import type { CommandTurn } from '../command-queue.ts'
import { maxFollowTime } from '../command-result.ts'
import { type CommandedPanel, CurrentState, type Situation, targets } from '../current-state.ts'
import { onlineRefusal } from '../preconditions.ts'
import { findZone, zoneNamed } from '../zones.ts'
import { isCertainlyIn, isHeld, type Settlement, settlementOf } from './bypass-policy.ts'
import type { BypassRecord, BypassRecords } from './bypass-records.ts'
import { isDecidedSince } from './missed-events.ts'

/** The step that was taken for a record, and a sentence about it. */
export interface Settled {
  what: Settlement
  /** The times of the answer that shows the state of the panel. */
  seen: AnswerTimes
  sentence: string
  /** True if zones are left that are taken back in the next turn. */
  isPartial: boolean
}

/** A command that has its turn. */
export interface SettlingCommand {
  panel: CommandedPanel
  turn: CommandTurn
  /** Aborted when the flow or the panel stops. */
  signal: AbortSignal
}

/** The parts that settle a record in the turn of a command. */
interface SettlingTurn extends SettlingCommand {
  records: BypassRecords
  /** Commands that are sent at most. */
  maxSteps: number
  /** True while the panel may still carry the last step out, or the service may not show it yet. */
  isFresh: boolean
  /** True if it is not known what has happened since the last step. */
  isUnwatched: boolean
}

/**
 * Does what is to be done about the record of a partition; returns undefined if there is none.
 * @throws KeyholderError
 */
export async function settleRecord(partition: number, settling: SettlingTurn): Promise<Settled | undefined> {
  const { panel, records, turn, isFresh } = settling
  const record = records.get(partition)
  if (record === undefined) return undefined
  const state = new CurrentState(panel, turn.cancellation)
  const now = panel.account.clock.monotonic()
  const first = await state.situation(now)
  throwIfOffline(first.value)
  const seen = await certainAnswer(
    `partition ${partition}`,
    first,
    (situation) => targets(situation, partition).length > 0,
    ({ online }) => online !== false,
    (since) => state.situation(since),
    settling,
  )
  throwIfOffline(seen.value)
  const planned = settlementOf(record, seen.value, isFresh)
  const what = (await isDecidedByPeople(record, planned, settling)) ? 'leave' : planned
  const settled = { what, seen, isPartial: false }
  const zones = `${zonesOf([record])} ${record.zones.length === 1 ? 'is' : 'are'}`
  const waiting = `${zones} still bypassed, until the panel is disarmed.`
  switch (what) {
    case 'armed':
      if (record.phase !== 'armed') await records.put({ ...record, phase: 'armed' })
      return { ...settled, sentence: `${zones} bypassed for it.` }
    case 'forget':
      await records.remove(partition)
      return {
        ...settled,
        sentence: `${zones} left as the panel has ${record.zones.length === 1 ? 'it' : 'them'}.`,
      }
    case 'leave': {
      const { value: devices } = await state.devices(now)
      const doubtful = record.zones.filter((zone) => !isCertainlyIn(zone, devices))
      await records.remove(partition)
      if (doubtful.length === 0)
        return { ...settled, what: 'forget', sentence: 'No zone is bypassed for it.' }
      const names = capitalized(doubtful.map((zone) => zoneNamed(zone, devices)).join(', '))
      return { ...settled, sentence: `${names} may still be bypassed. Look at the panel.` }
    }
    case 'wait':
      return { ...settled, sentence: waiting }
    case 'too early':
      return { ...settled, sentence: `${zones} still bypassed for it.` }
    default: {
      const list = await state.devices(now)
      const { value: devices } = list
      const free = record.zones.filter((zone) => !isHeld(zone, record, devices, seen.value))
      const held = record.zones.filter((zone) => !free.includes(zone))
      if (free.length === 0) return { ...settled, what: 'wait', sentence: waiting }
      const { isPartial, gone } = await takeBack(record, free, list, settling)
      const names = free.filter((zone) => !gone.includes(zone)).map((zone) => zoneNamed(zone, devices))
      const sentences = [
        ...(names.length > 0 ? [`The bypass was taken back of ${names.join(', ')}.`] : []),
        ...gone.map((zone) => `The panel no longer has zone ${zone}.`),
        ...(held.length > 0
          ? [`Still bypassed, until its partition is disarmed: zone ${held.join(', ')}.`]
          : []),
      ]
      return { ...settled, isPartial, sentence: sentences.join(' ') }
    }
  }
}

/**
 * Returns true if the bypasses may be those of people by now: the panel was armed again, or zones were bypassed, while
 * nobody watched. An old record counts as decided if the events do not tell.
 */
async function isDecidedByPeople(
  record: BypassRecord,
  planned: Settlement,
  { panel, turn, isUnwatched }: SettlingTurn,
): Promise<boolean> {
  const endsByItself = record.phase === 'armed' && !record.restore
  if (!isUnwatched || endsByItself || planned === 'too early') return false
  const { clock, settings } = panel.account
  const age = ageOf(record.at, momentOf(clock))
  const isOld = age > day
  // An interrupted arming is undone soon after it, whatever has happened.
  if (record.phase !== 'armed' && !isOld) return false
  const list = await new CurrentState(panel, turn.cancellation).events()
  if (list === undefined) return isOld
  return isDecidedSince(record, chronological(list.value), clock.wall() - age, settings.timeZone) ?? isOld
}

/** Removes the bypass of these zones of a record. Returns the zones that the panel no longer has. */
async function takeBack(
  record: BypassRecord,
  zones: readonly number[],
  list: Answer<readonly Device[]>,
  settling: SettlingTurn,
): Promise<{ isPartial: boolean; gone: number[] }> {
  const { panel, records, maxSteps } = settling
  // The service may show a change of the panel a little later.
  const isRecent = ageOf(record.at, momentOf(panel.account.clock)) < maxFollowTime
  const gone: number[] = []
  let failure: unknown
  // A file that cannot be written prevents no step: what it holds leads to the same steps again.
  const note = (writing: Promise<void>) =>
    writing.catch((thrown) => {
      failure = thrown
    })
  let left: BypassRecord = { ...record, phase: 'restoring' }
  if (record.phase !== 'restoring') await note(records.put(left))
  let steps = 0
  for (const zone of zones) {
    if (isRecent || !isCertainlyIn(zone, list.value)) {
      if (steps === maxSteps && failure === undefined) return { isPartial: true, gone }
      // Without a record, the next turn would begin with the same zone.
      if (steps === maxSteps) throw failure
      steps += 1
      const isGone = await removeBypass(zone, list, settling)
      if (isGone) gone.push(zone)
    }
    left = { ...left, zones: left.zones.filter((other) => other !== zone) }
    await note(left.zones.length > 0 ? records.put(left) : records.remove(record.partition))
  }
  if (failure !== undefined) throw failure
  return { isPartial: false, gone }
}

/** Removes the bypass of a zone. Returns true if the panel does not have the zone. */
async function removeBypass(
  zone: number,
  list: Answer<readonly Device[]>,
  settling: SettlingTurn,
): Promise<boolean> {
  const { panel, turn, signal } = settling
  const command = { action: 'bypass', zone, enabled: false } as const
  const step = new CommandExecution(command, panel, turn, signal)
  step.noteBefore({ devices: list.value }, list.sentAt)
  try {
    await step.sendAndFollow()
    return false
  } catch (thrown) {
    if (!isRefusal(asKeyholderError(thrown))) throw thrown
    const state = new CurrentState(panel, turn.cancellation)
    const { value } = await certainAnswer(
      `zone ${zone}`,
      list,
      (devices) => findZone(zone, devices) !== undefined,
      (devices) => devices.length > 0,
      (since) => state.devices(since),
      settling,
    )
    if (findZone(zone, value) === undefined) return true
    throw thrown
  }
}

/** Returns true if the service has refused the zone of a command, or the panel the command. */
function isRefusal({ code, status, reason }: KeyholderError): boolean {
  return status === 400 || status === 404 || (code === 'COMMAND_FAILED' && reason !== unknownOutcome)
}

/** @throws KeyholderError PANEL_OFFLINE */
function throwIfOffline(situation: Situation): void {
  const refusal = onlineRefusal(situation)
  if (refusal !== undefined) throw refusal
}

/** Returns the zones of records for a sentence. */
export function zonesOf(records: readonly BypassRecord[]): string {
  const zones = records.flatMap((record) => record.zones)
  return `${zones.length === 1 ? 'Zone' : 'Zones'} ${zones.join(', ')}`
}

/** Milliseconds between two reads: what an answer lacks comes back within a moment, or not at all. */
const readAgainAfter = second

/** The reads after which what is still missing is gone. */
const maxReads = 5

/**
 * Returns an answer that has something, or one after which it is certain that the panel no longer has it: else a bypass
 * would be forgotten, or ended too early, because one answer is incomplete.
 * @param what words for the error
 * @param has returns true if an answer has it
 * @param isReliable returns false for an answer that cannot show that it is gone
 * @param readAgain reads what is requested no earlier than a time
 * @throws KeyholderError BAD_RESPONSE if the answers stay incomplete, and the errors of `readAgain`
 */
async function certainAnswer<T>(
  what: string,
  first: Answer<T>,
  has: (value: T) => boolean,
  isReliable: (value: T) => boolean,
  readAgain: (since: number) => Promise<Answer<T>>,
  { panel, signal }: SettlingTurn,
): Promise<Answer<T>> {
  const { clock } = panel.account
  let answer = first
  // It was there when the record of the bypass was made.
  let record: ListRecord<string> = { ...nothingKnown, entries: new Map([[what, what]]) }
  for (let reads = 1; !has(answer.value); reads += 1) {
    const dated = { ...answer, isReliable: isReliable(answer.value), validFor: Number.POSITIVE_INFINITY }
    const after = afterAnswer(record, new Map(), dated)
    if (after.gone.length > 0) return answer
    if (reads === maxReads)
      throw new KeyholderError('BAD_RESPONSE', `The answers of the service lack ${what}, and are incomplete.`)
    record = after.record
    await delay(clock, readAgainAfter, signal)
    answer = await readAgain(clock.monotonic())
  }
  return answer
}

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

import { momentOf } from '../../../clock.ts'
import { asKeyholderError, KeyholderError } from '../../../service/error.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { describeCommand, notCarriedOut, type SetState, unknownOutcome } from '../command.ts'
import { CommandExecution, type Executed } from '../command-execution.ts'
import { type BypassedZone, stepOf } from '../command-queue.ts'
import { CurrentState, type PartitionSituation, targets } from '../current-state.ts'
import { bypassModeRefusal, noteZonesOfRefusal, unreadyRefusal, zonesOfRefusal } from '../preconditions.ts'
import { nameOfZone } from '../zones.ts'
import { zonesToBypass } from './bypass-policy.ts'
import type { BypassRecord, BypassRecords } from './bypass-records.ts'
import type { BypassSettlement } from './bypass-settlement.ts'
import type { SettlingCommand } from './settled-record.ts'

/** An arming that was executed, and the zones that it has bypassed. */
interface ArmedWithBypass extends Executed {
  bypassed: readonly BypassedZone[]
}

/** The dependencies of an arming with bypass. */
interface ArmingOptions extends SettlingCommand {
  settlement: BypassSettlement
}

/**
 * An arming for which open zones are bypassed: one command for the others. Each step is recorded before it is done.
 *
 * If the panel is not armed in the end, the bypasses are taken back: at once, or, if a disarm has canceled the arming,
 * after it. If the flow stops, the record says what is to be done.
 */
export class ArmingWithBypass {
  readonly #command: SetState
  readonly #options: ArmingOptions
  readonly #arming: CommandExecution

  constructor(command: SetState, options: ArmingOptions) {
    this.#command = command
    this.#options = options
    this.#arming = new CommandExecution(command, options.panel, options.turn, options.signal)
  }

  get #records(): BypassRecords {
    return this.#options.settlement.records
  }

  /** True if the panel may have received the arming. */
  get wasSent(): boolean {
    return this.#arming.wasSent
  }

  /**
   * Bypasses, arms, and follows until the result is known.
   * @throws KeyholderError
   */
  async execute(): Promise<ArmedWithBypass> {
    const { partition } = this.#command
    const { seen, situation, unready } = await this.#arming.check()
    await this.#noteRestore()
    if (seen !== undefined) return { ...seen, already: true, bypassed: [] }
    const partitions = targets(situation, partition).filter(({ ready }) => ready !== true)
    // Only a disarmed panel bypasses zones.
    const mayBypass = partitions.every(({ state }) => state === 'DISARM' || state === 'UNKNOWN')
    const bypassed: BypassedZone[] = []
    try {
      if (mayBypass && partitions.length > 0) await this.#bypassOpenZones(partitions, bypassed)
      await this.#refuseUnlessReady(bypassed.length > 0 ? (await this.#arming.check()).unready : unready)
      if (bypassed.length > 0) await this.#note('arming')
      const done = await this.#arming.sendAndFollow()
      if (bypassed.length > 0) await this.#noteArmed()
      return { ...done, bypassed }
    } catch (thrown) {
      const isRecorded = this.#records.get(partition) !== undefined
      if (!isRecorded || bypassed.length === 0) throw thrown
      return await this.#end(asKeyholderError(thrown), bypassed)
    }
  }

  /** Bypasses the open zones, and notes those that are bypassed, or may be. */
  async #bypassOpenZones(partitions: readonly { id: number }[], bypassed: BypassedZone[]): Promise<void> {
    const { panel, turn, signal } = this.#options
    const state = new CurrentState(panel, turn.cancellation)
    const askedAt = panel.account.clock.monotonic()
    const devices = await this.#devices()
    const zones = zonesToBypass(partitions, devices, panel.panelClient.limits.otherThanZones)
    if (zones.length === 0) return
    const earlier = this.#records.get(this.#command.partition)
    if (earlier !== undefined) throw stillInEffect(earlier)
    const refusal = bypassModeRefusal((await state.info()).bypass_mode, true)
    if (refusal !== undefined) throw refusal
    for (const device of zones) {
      const zone = device.device_number as number
      await this.#note('bypassing', [...bypassed.map((one) => one.zone), zone])
      bypassed.push({ zone, name: nameOfZone(zone, devices) })
      const step = new CommandExecution(
        { action: 'bypass', zone, enabled: true },
        panel,
        stepOf(turn),
        signal,
      )
      step.noteBefore({ devices }, askedAt)
      try {
        await step.sendAndFollow()
      } catch (thrown) {
        throw await this.#explainStep(asKeyholderError(thrown), step.wasSent)
      }
    }
  }

  /** Notes that the last zone is certainly not bypassed, if that is so, and returns the error for the arming. */
  async #explainStep(error: KeyholderError, wasSent: boolean): Promise<KeyholderError> {
    const isUnknown = wasSent && (error.code === 'CLOSED' || error.reason === unknownOutcome)
    const zones = this.#records.get(this.#command.partition)?.zones ?? []
    if (!isUnknown) await this.#note('restoring', zones.slice(0, -1)).catch(() => {})
    if (error.code === 'CLOSED' || error === this.#options.turn.cancellation.reason) return error
    return extended(error, `So ${describeCommand(this.#command)} was not sent.`)
  }

  async #refuseUnlessReady(unready: readonly PartitionSituation[]): Promise<void> {
    if (unready.length > 0) throw unreadyRefusal(unready, await this.#devices())
  }

  /** Takes the bypasses back after a failure, unless the panel is armed after all; else returns the error for the flow. */
  async #end(error: KeyholderError, bypassed: readonly BypassedZone[]): Promise<ArmedWithBypass> {
    const { panel, turn, signal, settlement } = this.#options
    const { partition } = this.#command
    // The next process, or this one after a while, finds out what became of it.
    if (signal.aborted) {
      settlement.settleLater(partition)
      throw error
    }
    // The disarm goes first: the panel drops a command if the next one comes too soon.
    if (turn.cancellation.aborted) {
      if (!this.wasSent) await this.#note('restoring').catch(() => {})
      settlement.settleSoon(partition)
      throw extended(error, 'The zones that were bypassed for it are taken back after the disarm.')
    }
    if (error.reason !== unknownOutcome) await this.#note('restoring').catch(() => {})
    let rest = ''
    const settled = await settlement.settleInTurn(partition, { panel, turn, signal }).catch((thrown) => {
      const isRepeated = settlement.settleAfterFailure(partition, asKeyholderError(thrown))
      rest = `${titlesOf(bypassed)} may still be bypassed. ${isRepeated ? 'The nodes try to take that back.' : 'Look at the panel.'}`
    })
    // The state alone does not prove the options.
    const isProved = settled?.what === 'armed' && this.#command.options.length === 0
    if (isProved) return { ...settled.seen, already: false, bypassed }
    throw extended(error, settled?.sentence ?? rest)
  }

  async #devices(): Promise<readonly Device[]> {
    const { panel, turn } = this.#options
    const state = new CurrentState(panel, turn.cancellation)
    try {
      return (await state.devices(panel.account.clock.monotonic())).value
    } catch (thrown) {
      throw turn.cancellation.aborted ? turn.cancellation.reason : notCarriedOut(this.#command, thrown)
    }
  }

  /** The answer tells the bypasses too, so nothing stops if the file can no longer be written. */
  async #noteArmed(): Promise<void> {
    await this.#note('armed').catch(() => {})
    this.#options.settlement.noteArmed(this.#command.partition)
  }

  /** Notes that bypasses of an earlier arming are to be taken back, if this command says so. */
  async #noteRestore(): Promise<void> {
    const { settlement } = this.#options
    const records = this.#records
    const earlier = records.get(this.#command.partition)
    if (earlier === undefined || earlier.restore || this.#command.restoreBypass !== true) return
    await records.put({ ...earlier, restore: true })
    settlement.noteArmed(earlier.partition)
  }

  async #note(phase: BypassRecord['phase'], zones?: readonly number[]): Promise<void> {
    const { panel } = this.#options
    const records = this.#records
    const { partition, state, restoreBypass = false } = this.#command
    const left = zones ?? records.get(partition)?.zones ?? []
    if (left.length === 0) return records.remove(partition)
    const at = momentOf(panel.account.clock)
    return records.put({ partition, state, phase, restore: restoreBypass, zones: left, at })
  }
}

/** Returns the error for an arming that would have to bypass more than an earlier one that is still in effect. */
function stillInEffect({ partition, state, zones }: BypassRecord): KeyholderError {
  const command = describeCommand({ action: 'set_state', partition, state, options: [] })
  const sentence = `Zones are open, and ${zones.length === 1 ? 'zone' : 'zones'} ${zones.join(', ')} ${zones.length === 1 ? 'is' : 'are'} still bypassed for ${command}. Close the open zones, or disarm all of the panel first.`
  return new KeyholderError('NOT_SETTABLE', sentence)
}

function titlesOf(zones: readonly BypassedZone[]): string {
  return zones.map(({ zone, name }) => (name ? `${name} (zone ${zone})` : `Zone ${zone}`)).join(', ')
}

/** Returns an error with one more sentence, and the zones that it names. */
function extended(error: KeyholderError, sentence: string): KeyholderError {
  const { code, message, status, reason } = error
  const longer = new KeyholderError(code, `${message} ${sentence}`, { status, reason })
  noteZonesOfRefusal(longer, zonesOfRefusal(error))
  return longer
}

import { asKeyholderError, KeyholderError } from '../../../service/error.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { nameOfZone } from '../../devices/device.ts'
import type { AnswerTimes } from '../../snapshot.ts'
import { describeCommand, notCarriedOut, type SetState, unknownOutcome } from '../command.ts'
import { CommandExecution, type Executed } from '../command-execution.ts'
import { type BypassedZone, stepOf } from '../command-queue.ts'
import { CurrentState, type PartitionSituation, targets } from '../current-state.ts'
import { noteZonesOfRefusal, zonesOfRefusal } from '../not-ready.ts'
import { bypassModeRefusal, isForceArm } from '../preconditions.ts'
import { showsState } from '../proof.ts'
import { zonesToArmPast, zonesToBypass } from './bypass-policy.ts'
import { areZones, isArmed, mayStay, type RunningCommand, TakingBack } from './taking-back.ts'

/** An arming that was executed, and the zones that it has bypassed. */
interface ArmedWithBypass extends Executed {
  bypassed: readonly BypassedZone[]
  /** The zones that were open when the arming was sent; absent if the panel does not arm past open zones by itself. */
  open?: readonly BypassedZone[]
}

/**
 * An arming for which open zones are bypassed: one command for the others.
 *
 * The panel ends these bypasses with the disarm after the arming (makers' guides). If the panel is certainly not armed, they
 * are taken back at once. A panel in the mode force arm gets the arming alone, and bypasses by itself. Nothing is recorded: if the flow stops on the way, a zone stays bypassed for one arming at worst, and
 * the answer to that arming names it.
 */
export class ArmingWithBypass {
  readonly #command: SetState
  readonly #running: RunningCommand
  readonly #arming: CommandExecution
  /** The zones that this command has bypassed, or may have. */
  #bypassed: readonly BypassedZone[] = []
  /** The bypasses to take back after a disarm that has canceled the arming; undefined if nothing is. */
  dueAfterDisarm: TakingBack | undefined
  /** A sentence about the zones that a stop of the flow leaves bypassed, with a space before it; else empty. */
  leftByStop = ''

  constructor(command: SetState, running: RunningCommand) {
    this.#command = command
    this.#running = running
    this.#arming = new CommandExecution(command, running.panel, running.turn, running.signal)
  }

  /** True if the panel may have received the arming. */
  get wasSent(): boolean {
    return this.#arming.wasSent
  }

  get bypassMode(): string {
    return this.#arming.bypassMode
  }

  /**
   * Bypasses, arms, and follows until the result is known.
   * @throws KeyholderError
   */
  async execute(): Promise<ArmedWithBypass> {
    const { seen, situation, unready } = await this.#arming.check()
    if (seen !== undefined) return { ...seen, already: true, bypassed: [] }
    const partitions = targets(situation, this.#command.partition).filter(({ ready }) => ready !== true)
    if (isForceArm(this.bypassMode) && partitions.length > 0) return this.#armPast(partitions, unready)
    // Only a disarmed panel bypasses zones.
    const mayBypass = partitions.every(({ state }) => state === 'DISARM' || state === 'UNKNOWN')
    try {
      if (mayBypass && partitions.length > 0) await this.#bypassOpenZones(partitions)
      await this.#refuseUnlessReady(
        this.#bypassed.length > 0 ? (await this.#arming.check()).unready : unready,
      )
      return { ...(await this.#arming.sendAndFollow()), bypassed: this.#bypassed }
    } catch (thrown) {
      if (this.#bypassed.length === 0) throw thrown
      const seenArmed = await this.#end(asKeyholderError(thrown))
      return { ...seenArmed, already: false, bypassed: this.#bypassed }
    }
  }

  /** Arms a panel that leaves out by itself what is open at the end of the exit delay. */
  async #armPast(
    partitions: readonly PartitionSituation[],
    unready: readonly PartitionSituation[],
  ): Promise<ArmedWithBypass> {
    const devices = await this.#devices()
    const zones = zonesToArmPast(partitions, devices, this.#running.panel.panelClient.limits.otherThanZones)
    if (zones.length === 0) await this.#refuseUnlessReady(unready)
    const open = zones.map(({ device_number }) => namedZone(device_number as number, devices))
    return { ...(await this.#arming.sendAndFollow()), bypassed: [], open }
  }

  /** Bypasses the open zones, and notes those that are bypassed, or may be. */
  async #bypassOpenZones(partitions: readonly { id: number }[]): Promise<void> {
    const { panel, turn, signal } = this.#running
    const askedAt = panel.account.clock.monotonic()
    const devices = await this.#devices()
    const zones = zonesToBypass(partitions, devices, panel.panelClient.limits.otherThanZones)
    if (zones.length === 0) return
    const refusal = bypassModeRefusal(this.bypassMode, true)
    if (refusal !== undefined) throw refusal
    for (const device of zones) {
      const zone = device.device_number as number
      const before = this.#bypassed
      this.#bypassed = [...before, namedZone(zone, devices)]
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
        const error = asKeyholderError(thrown)
        const isUnknown = step.wasSent && (error.code === 'CLOSED' || error.reason === unknownOutcome)
        if (!isUnknown) this.#bypassed = before
        if (error.code === 'CLOSED' || error === turn.cancellation.reason) throw error
        throw extended(error, `So ${describeCommand(this.#command)} was not sent.`)
      }
    }
  }

  async #refuseUnlessReady(unready: readonly PartitionSituation[]): Promise<void> {
    if (unready.length > 0) throw await this.#arming.unreadyRefusal(unready)
  }

  /**
   * Takes the bypasses back after a failure, unless the panel is armed after all; then it returns the answer that shows it.
   * @throws KeyholderError the failure, with what became of the zones
   */
  async #end(error: KeyholderError): Promise<AnswerTimes> {
    const { panel, turn, signal } = this.#running
    const back = new TakingBack(this.#bypassed)
    if (signal.aborted) {
      this.leftByStop = ` ${mayStay(this.#bypassed)}`
      throw error
    }
    // What was sent, and may have been carried out, may still come.
    const isUnknown = this.wasSent && error.reason === unknownOutcome
    if (isUnknown && !turn.cancellation.aborted) {
      const now = panel.account.clock.monotonic()
      const answer = await new CurrentState(panel, turn.cancellation).situation(now).catch(() => undefined)
      const { partition, options } = this.#command
      // The state alone does not prove the options.
      const isShown = answer !== undefined && showsState(this.#command, answer.value)
      if (isShown && options.length === 0) return answer
      if (answer !== undefined && isArmed([partition], answer.value))
        throw extended(error, `${areZones(this.#bypassed)} bypassed for it.`)
    }
    await back.run(this.#running)
    if (isUnknown) turn.noteOutcome('unknown', { command: this.#command, before: undefined })
    if (back.due.length === 0 || signal.aborted) throw extended(error, back.sentence)
    this.dueAfterDisarm = back
    throw extended(error, 'The zones that were bypassed for it are taken back after the disarm.')
  }

  async #devices(): Promise<readonly Device[]> {
    const { panel, turn } = this.#running
    const state = new CurrentState(panel, turn.cancellation)
    try {
      return (await state.devices(panel.account.clock.monotonic())).value
    } catch (thrown) {
      throw turn.cancellation.aborted ? turn.cancellation.reason : notCarriedOut(this.#command, thrown)
    }
  }
}

function namedZone(zone: number, devices: readonly Device[]): BypassedZone {
  return { zone, name: nameOfZone(zone, devices) }
}

/** Returns an error with one more sentence, and the zones that it names. */
function extended(error: KeyholderError, sentence: string): KeyholderError {
  const { code, message, status, reason } = error
  const longer = new KeyholderError(code, `${message} ${sentence}`, { status, reason })
  noteZonesOfRefusal(longer, zonesOfRefusal(error))
  return longer
}

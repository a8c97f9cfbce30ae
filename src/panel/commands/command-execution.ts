import type { Sent } from '../../account/account.ts'
import type { Answer } from '../../account/answer.ts'
import type { SendState } from '../../account/requests/request.ts'
import { onAbort } from '../../clock.ts'
import { closedError, isClosed, KeyholderError } from '../../service/error.ts'
import { type Operation, operations } from '../../service/operations.ts'
import type { ProcessToken } from '../../service/responses/process-status.ts'
import type { AnswerTimes } from '../snapshot.ts'
import { type Command, isDisarm, notCarriedOut, type SetState, unknownOutcome } from './command.ts'
import type { CommandOutcome, CommandTurn } from './command-queue.ts'
import { CommandResult, showsBypass, showsOptions, showsState } from './command-result.ts'
import {
  type CommandedPanel,
  CurrentState,
  type PartitionSituation,
  type Situation,
} from './current-state.ts'
import {
  bypassModeRefusal,
  bypassRefusal,
  featureRefusal,
  onlineRefusal,
  partitionRefusal,
  sirenRefusal,
  stateRefusal,
  unreadyPartitions,
  unreadyRefusal,
} from './preconditions.ts'

/** The times of the answer that shows the effect of a command. */
export interface Executed extends AnswerTimes {
  /** True if the effect showed before, so that nothing was sent. */
  already: boolean
}

/** The result of the checks of a command. */
interface Checked {
  /** The times of the answer that shows the effect of the command already. */
  seen?: AnswerTimes
  situation: Situation
  /** The partitions that are not ready to be armed as commanded. */
  unready: readonly PartitionSituation[]
}

/** The execution of one command: the checks, the request and the result. */
export class CommandExecution {
  readonly #command: Command
  readonly #panel: CommandedPanel
  readonly #turn: CommandTurn
  readonly #signal: AbortSignal
  readonly #sendState: SendState = { wasSent: false }
  /** True if the panel showed the state before the command, and an earlier command may still end it. */
  #showedBefore = false

  /**
   * @param signal aborted when the flow stops: the result of a command already sent is then not awaited
   */
  constructor(command: Command, panel: CommandedPanel, turn: CommandTurn, signal: AbortSignal) {
    this.#command = command
    this.#panel = panel
    this.#turn = turn
    this.#signal = signal
  }

  /** True if the panel may have received the command. */
  get wasSent(): boolean {
    return this.#sendState.wasSent
  }

  /**
   * Checks, sends and follows the command until its result is known, or for a minute.
   * @throws KeyholderError
   */
  async checkSendAndFollow(): Promise<Executed> {
    const { seen, unready } = await this.check()
    if (seen !== undefined) return { ...seen, already: true }
    if (unready.length > 0) throw await this.#unreadyRefusal(unready)
    return { ...(await this.sendAndFollow()), already: false }
  }

  /**
   * Checks the command, except that the partitions are ready for it.
   * @throws KeyholderError the reason why it cannot be sent
   */
  check(): Promise<Checked> {
    return this.#check(new CurrentState(this.#panel, this.#turn.cancellation)).catch((thrown) =>
      this.#explain(thrown),
    )
  }

  /**
   * Sends and follows the command.
   * @throws KeyholderError
   */
  async sendAndFollow(): Promise<AnswerTimes> {
    let outcome: CommandOutcome = 'failed'
    const explain = (thrown: unknown) => this.#explain(thrown)
    await this.#turn.beginSending()?.catch(explain)
    try {
      const done = await this.#follow(await this.#send(this.#turn.cancellation).catch(explain))
      outcome = 'done'
      return done
    } catch (thrown) {
      if (this.wasSent && isUnknown(thrown)) outcome = 'unknown'
      throw thrown
    } finally {
      this.#turn.noteOutcome(outcome)
    }
  }

  /** @throws KeyholderError the reason of the cancellation, or the error for the command */
  #explain(thrown: unknown): never {
    const { cancellation } = this.#turn
    throw cancellation.aborted && !this.wasSent && isClosed(thrown)
      ? cancellation.reason
      : notCarriedOut(this.#command, thrown)
  }

  #unreadyRefusal(partitions: readonly PartitionSituation[]): Promise<KeyholderError> {
    const since = this.#panel.account.clock.monotonic()
    const devices = new CurrentState(this.#panel, this.#turn.cancellation).devices(since)
    return devices.then(
      ({ value }) => unreadyRefusal(partitions, value),
      (thrown) => this.#explain(thrown),
    )
  }

  async #follow(sent: Sent): Promise<AnswerTimes> {
    try {
      const result = new CommandResult(this.#command, this.#panel, this.#signal)
      return await result.waitForResult(sent, { provesEffect: !this.#showedBefore })
    } finally {
      // Also after a failure, or if the caller left: subscribers of the state need its new value.
      if (this.#command.action === 'set_state') this.#panel.polls.settle()
    }
  }

  /**
   * Throws if the command cannot be executed. Readiness is not checked, because open zones may be bypassed.
   */
  async #check(currentState: CurrentState): Promise<Checked> {
    const command = this.#command
    const now = this.#panel.account.clock.monotonic()
    const { panelClient } = this.#panel
    // A disarm waits for nothing that it can do without.
    if (!isDisarm(command)) await currentState.readLimits()
    throwIfAny(featureRefusal(command, panelClient.limits))
    const answer = await currentState.situation(now)
    const { value: situation } = answer
    throwIfAny(onlineRefusal(situation))
    switch (command.action) {
      case 'set_state': {
        if (await this.#holdsAlready(command, answer, () => currentState.isQuiet(now)))
          return { seen: answer, situation, unready: [] }
        throwIfAny(stateRefusal(command, situation))
        throwIfAny(partitionRefusal(command.partition, panelClient.limits))
        return { situation, unready: unreadyPartitions(command, situation) }
      }
      case 'bypass': {
        throwIfAny(bypassModeRefusal((await currentState.info()).bypass_mode, command.enabled))
        const devices = await currentState.devices(now)
        throwIfAny(bypassRefusal(command, devices.value, panelClient.limits.otherThanZones))
        return { ...(showsBypass(command, devices.value) && { seen: devices }), situation, unready: [] }
      }
      default:
        throwIfAny(sirenRefusal(command, (await currentState.info()).features))
        return { situation, unready: [] }
    }
  }

  /**
   * Returns true if nothing would change. A disarm is sent if that is not certain, because it also ends alarms
   * and silences sirens.
   */
  async #holdsAlready(
    command: SetState,
    { value: situation }: Answer<Situation>,
    isQuiet: () => Promise<boolean>,
  ): Promise<boolean> {
    if (!showsState(command, situation)) return false
    this.#showedBefore = this.#turn.mayChange(command)
    if (this.#showedBefore || !showsOptions(command, situation)) return false
    return !isDisarm(command) || isQuiet()
  }

  /**
   * Sends the command. When the flow stops after that, stops waiting for the answer: the command cannot be
   * canceled any more.
   */
  async #send(cancellation: AbortSignal): Promise<Sent> {
    const { account, settings } = this.#panel
    const { operation, body } = requestFor(this.#command)
    const maySend = () => this.#turn.maySend()
    const request = { panel: settings, body, signal: cancellation, sendState: this.#sendState, maySend }
    const sending = account.sendCommand(operation, request)
    let leave = () => {}
    const left = new Promise<never>((_, reject) => {
      leave = onAbort(this.#signal, () => this.wasSent && reject(closedError()))
    })
    try {
      return await Promise.race([sending, left])
    } finally {
      leave()
    }
  }
}

/** Returns true if the panel may still carry out the command that failed with this error. */
function isUnknown(thrown: unknown): boolean {
  return isClosed(thrown) || (thrown instanceof KeyholderError && thrown.reason === unknownOutcome)
}

function throwIfAny(error: KeyholderError | undefined): void {
  if (error !== undefined) throw error
}

/** Returns the operation that executes a command, and its body (field facts). */
function requestFor(command: Command): {
  operation: Operation<ProcessToken>
  body: Readonly<Record<string, unknown>>
} {
  switch (command.action) {
    case 'set_state': {
      const { partition, state, options } = command
      const body = { partition, state, ...(options.length > 0 ? { options } : {}) }
      return { operation: operations.setState, body }
    }
    case 'bypass':
      return { operation: operations.setBypassZone, body: { zone: command.zone, set: command.enabled } }
    case 'siren_on':
      return { operation: operations.activateSiren, body: {} }
    case 'siren_off':
      return { operation: operations.disableSiren, body: { mode: 'all' } }
  }
}

import type { Sent } from '../../account/account.ts'
import type { Answer, SendState } from '../../account/request.ts'
import { closedError, isClosed, KeyholderError } from '../../service/error.ts'
import { labelOf } from '../../settings.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  type Command,
  capitalized,
  describeCommand,
  isDisarm,
  notCarriedOut,
  type SetState,
  unknownOutcome,
} from './command.ts'
import type { CommandQueue, CommandTurn, CompletedCommand } from './command-queue.ts'
import { requestFor } from './command-request.ts'
import { CommandResult, type ConfirmedAt, showsBypass, showsOptions, showsState } from './command-result.ts'
import { type CommandedPanel, CurrentState, type Situation } from './current-state.ts'
import { bypassModeRefusal, featureRefusal, partitionRefusal } from './feature-refusals.ts'
import { queueOf } from './local-command-queue.ts'
import type { CommandOutcome } from './open-effects.ts'
import {
  bypassRefusal,
  onlineRefusal,
  sirenRefusal,
  stateRefusal,
  unreadyPartitions,
  unreadyRefusal,
} from './preconditions.ts'

/** The times of the answer that shows the effect of a command. */
export interface Executed extends ConfirmedAt {
  /** True if the effect showed before, so that nothing was sent. */
  already: boolean
}

/** The execution of one command: the checks, the request and the result. */
export class CommandExecution {
  readonly #command: Command
  readonly #panel: CommandedPanel
  readonly #turn: CommandTurn
  readonly #signal: AbortSignal
  readonly #sendState: SendState = { wasSent: false }

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
    const { cancellation } = this.#turn
    const explained = (thrown: unknown): never => {
      throw cancellation.aborted && !this.wasSent && isClosed(thrown)
        ? cancellation.reason
        : notCarriedOut(this.#command, thrown)
    }
    const seen = await this.#check(new CurrentState(this.#panel, cancellation)).catch(explained)
    if (seen !== undefined) return { ...seen, already: true }
    let outcome: CommandOutcome = 'failed'
    await this.#turn.beginSending()?.catch(explained)
    try {
      const done = await this.#follow(await this.#send(cancellation).catch(explained))
      outcome = 'done'
      return { ...done, already: false }
    } catch (thrown) {
      if (this.wasSent && isUnknown(thrown)) outcome = 'unknown'
      throw thrown
    } finally {
      this.#turn.noteOutcome(outcome)
    }
  }

  async #follow(sent: Sent): Promise<ConfirmedAt> {
    try {
      return await new CommandResult(this.#command, this.#panel, this.#signal).waitForResult(sent)
    } finally {
      // Also after a failure, or if the caller left: subscribers of the state need its new value.
      if (this.#command.action === 'set_state') this.#panel.expectChange()
    }
  }

  /**
   * Throws if the command cannot be executed; returns the times of the answer if its effect already shows.
   */
  async #check(currentState: CurrentState): Promise<ConfirmedAt | undefined> {
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
        if (await this.#holdsAlready(command, answer, () => currentState.isQuiet(now))) return answer
        throwIfAny(stateRefusal(command, situation))
        throwIfAny(partitionRefusal(command.partition, panelClient.limits))
        const partitions = unreadyPartitions(command, situation)
        if (partitions.length > 0) throw unreadyRefusal(partitions, (await currentState.devices(now)).value)
        return undefined
      }
      case 'bypass': {
        throwIfAny(bypassModeRefusal((await currentState.info()).bypass_mode, command.enabled))
        const devices = await currentState.devices(now)
        throwIfAny(bypassRefusal(command, devices.value, panelClient.limits.otherThanZones))
        return showsBypass(command, devices.value) ? devices : undefined
      }
      default:
        throwIfAny(sirenRefusal(command, (await currentState.info()).features))
        return undefined
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
    if (!showsState(command, situation) || !showsOptions(command, situation)) return false
    if (this.#turn.mayChange(command)) return false
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
      leave = () => this.wasSent && reject(closedError())
    })
    this.#signal.addEventListener('abort', leave)
    try {
      return await Promise.race([sending, left])
    } finally {
      this.#signal.removeEventListener('abort', leave)
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

/** The commands of flows to one panel, one after another. */
export class Commands {
  readonly #panel: CommandedPanel
  readonly #queue: CommandQueue

  /** @param queue the one of several processes; without it, that of this process */
  constructor(panel: CommandedPanel, queue: CommandQueue = queueOf(panel.account, panel.settings.serial)) {
    this.#panel = panel
    this.#queue = queue
  }

  /**
   * Throws unless the user has allowed commands to this panel.
   * @throws KeyholderError COMMANDS_DISABLED
   */
  refuseUnlessAllowed(): void {
    if (this.#panel.settings.allowCommands) return
    const remedy = `Turn on "${labelOf('allowCommands')}" in the alarm panel node if you want them.`
    throw new KeyholderError('COMMANDS_DISABLED', `Commands are turned off for this panel. ${remedy}`)
  }

  /**
   * Executes a command and resolves when it is done. The command is sent at most once, whatever happens.
   * @param signal aborted when the flow stops: a command that is not sent by then is not sent
   * @param node the id of the flow node that the command came to
   * @throws KeyholderError the reason why it was not sent, or COMMAND_FAILED; CLOSED, with the reason
   * `Unknown` if it was sent
   */
  async execute(command: Command, signal: AbortSignal, node = ''): Promise<Snapshot<CompletedCommand>> {
    this.refuseUnlessAllowed()
    const { clock } = this.#panel.account
    const arrivedAt = clock.monotonic()
    let execution: CommandExecution | undefined
    try {
      return await this.#queue.run({ command, node, signal }, async (turn) => {
        execution = new CommandExecution(command, this.#panel, turn, signal)
        const { fetchedAt, at, sentAt, already } = await execution.checkSendAndFollow()
        const tookMs = Math.round(clock.monotonic() - arrivedAt)
        return { view: { tookMs, already }, fetchedAt, at, sentAt, validFor: Number.POSITIVE_INFINITY }
      })
    } catch (thrown) {
      if (!isClosed(thrown) || thrown.reason !== undefined) throw thrown
      const what = `${this.#panel.title()}: ${capitalized(describeCommand(command))}`
      if (!execution?.wasSent)
        throw new KeyholderError(
          'CLOSED',
          `${what} was not sent, because the flow was stopped. If you still want it, send it again.`,
        )
      const sentence = `${what} was sent, but the flow was stopped before the result was known. Look at the panel.`
      throw new KeyholderError('CLOSED', sentence, { reason: unknownOutcome })
    }
  }
}

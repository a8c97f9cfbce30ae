import type { Sent } from '../../account/account.ts'
import type { SendState } from '../../account/requests/request.ts'
import { onAbort } from '../../clock.ts'
import { closedError, isClosed, KeyholderError } from '../../service/error.ts'
import { asSent } from '../../service/odd-ids.ts'
import { type Operation, operations } from '../../service/operations.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { ProcessToken } from '../../service/responses/process-status.ts'
import { type AnswerTimes, isKept } from '../snapshot.ts'
import { type Command, notCarriedOut, unknownOutcome } from './command.ts'
import { type Checked, CommandCheck } from './command-check.ts'
import type { CommandTurn } from './command-queue.ts'
import { CommandResult } from './command-result.ts'
import { type CommandedPanel, CurrentState, type PartitionSituation } from './current-state.ts'
import { readReasons, unreadyRefusal } from './not-ready.ts'
import type { CommandOutcome } from './open-effects.ts'
import { type Before, before, mayEventProve, nothingKnownBefore, type Proven, type Seen } from './proof.ts'

/** The times of the answer that shows the effect of a command. */
export interface Executed extends AnswerTimes {
  /** True if the panel was so already: nothing was sent, or a disarm that nothing needed. */
  already: boolean
}

/** The execution of one command: the checks, the request and the result. */
export class CommandExecution {
  readonly #command: Command
  readonly #panel: CommandedPanel
  readonly #turn: CommandTurn
  readonly #signal: AbortSignal
  readonly #sendState: SendState = { wasSent: false }
  #before: Before = nothingKnownBefore
  #bypassMode = ''
  /** The events that are listed when the command is sent; undefined if they are not needed. */
  #eventsBefore: Promise<readonly PanelEvent[] | undefined> | undefined

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

  /** The panel's own word for how zones can be bypassed; empty until the command is checked. */
  get bypassMode(): string {
    return this.#bypassMode
  }

  /**
   * Checks, sends and follows the command until its result is known, or for a minute.
   * @throws KeyholderError
   */
  async checkSendAndFollow(): Promise<Executed> {
    const { seen, unready } = await this.check()
    if (seen !== undefined) return { ...seen, already: true }
    if (unready.length > 0) throw await this.unreadyRefusal(unready)
    return this.sendAndFollow()
  }

  /**
   * Checks the command, except that the partitions are ready for it.
   * @throws KeyholderError the reason why it cannot be sent
   */
  async check(): Promise<Checked> {
    const check = new CommandCheck(this.#command, this.#panel, this.#turn)
    const checked = await check.run().catch((thrown) => this.#explain(thrown))
    this.#before = checked.before
    this.#bypassMode = checked.situation.bypassMode
    return checked
  }

  /**
   * Notes what showed before a command that is not checked, because it is a step of another one.
   * @param askedAt the time of the request for the answer, in milliseconds of the monotonic clock
   */
  noteBefore(seen: Seen, askedAt: number): void {
    this.#before = before(this.#command, seen, this.#turn.openEffects, { sentAt: askedAt })
  }

  /**
   * Returns the error for partitions that are not ready for the command.
   * @throws KeyholderError the reason why it cannot be read what prevents it
   */
  unreadyRefusal(partitions: readonly PartitionSituation[]): Promise<KeyholderError> {
    const since = this.#panel.account.clock.monotonic()
    const state = new CurrentState(this.#panel, this.#turn.cancellation)
    const unready = { partitions, command: this.#command, bypassMode: this.#bypassMode }
    return readReasons(unready, state, since).then(
      (reasons) => unreadyRefusal(unready, reasons),
      (thrown) => this.#explain(thrown),
    )
  }

  /**
   * Sends and follows the command.
   * @throws KeyholderError
   */
  async sendAndFollow(): Promise<Executed> {
    let outcome: CommandOutcome = 'failed'
    const explain = (thrown: unknown) => this.#explain(thrown)
    await this.#turn.beginSending()?.catch(explain)
    try {
      const done = await this.#follow(await this.#send(this.#turn.cancellation).catch(explain))
      // What a needless disarm has changed shows already: nothing.
      outcome = done.already ? 'failed' : 'done'
      return done
    } catch (thrown) {
      if (this.wasSent && isUnknown(thrown)) outcome = 'unknown'
      throw thrown
    } finally {
      this.#turn.noteOutcome(outcome, { command: this.#command, before: this.#before.outline })
    }
  }

  /** @throws KeyholderError the reason of the cancellation, or the error for the command */
  #explain(thrown: unknown): never {
    const { cancellation } = this.#turn
    throw cancellation.aborted && !this.wasSent && isClosed(thrown)
      ? cancellation.reason
      : notCarriedOut(this.#command, thrown)
  }

  async #follow(sent: Sent): Promise<Proven> {
    let isAlready = false
    // What a lost answer was about takes the panel a moment, too.
    if ('doubt' in sent && mayEventProve(this.#command, this.#before))
      this.#eventsBefore ??= this.#readEvents()
    try {
      const result = new CommandResult(this.#command, this.#panel, this.#signal)
      const proven = await result.waitForResult(sent, {
        before: this.#before,
        eventsBefore: this.#eventsBefore ?? Promise.resolve(undefined),
      })
      isAlready = proven.already
      return proven
    } finally {
      // Also after a failure, or if the caller left: subscribers of the state need its new value.
      if (this.#command.action === 'set_state' && !isAlready) this.#panel.polls.settle()
    }
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
    // Right behind the command, which must not wait for them: the panel takes longer to carry it out.
    const { held, isQuiet } = this.#before
    const isNeedless = held && isQuiet === true
    if (mayEventProve(this.#command, this.#before) && !isNeedless) this.#eventsBefore = this.#readEvents()
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

  /** Never rejects. */
  #readEvents(): Promise<readonly PanelEvent[] | undefined> {
    return new CurrentState(this.#panel, this.#signal).events().then(
      // What a cache has kept may lack an event from before the command.
      (list) => (list === undefined || isKept(list) ? undefined : list.value),
      () => undefined,
    )
  }
}

/** Returns true if the panel may still carry out the command that failed with this error. */
function isUnknown(thrown: unknown): boolean {
  return isClosed(thrown) || (thrown instanceof KeyholderError && thrown.reason === unknownOutcome)
}

/** Returns the operation that executes a command, and its body (field facts). */
function requestFor(command: Command): {
  operation: Operation<ProcessToken>
  body: Readonly<Record<string, unknown>>
} {
  switch (command.action) {
    case 'set_state': {
      const { partition, state, options } = command
      const body = { partition: asSent(partition), state, ...(options.length > 0 ? { options } : {}) }
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

import type { Sent } from '../../account/account.ts'
import { delay } from '../../clock.ts'
import { second } from '../../duration.ts'
import { hasCode, isClosed, type KeyholderError } from '../../service/error.ts'
import { codesThatAre } from '../../service/error-codes.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { ProcessStatus } from '../../service/responses/process-status.ts'
import type { AnswerTimes } from '../snapshot.ts'
import { type Command, capitalized, commandError, describeCommand, unknownOutcome } from './command.ts'
import { type CommandedPanel, CurrentState } from './current-state.ts'
import { describeReasons, readReasons } from './not-ready.ts'
import { unreadyPartitions } from './preconditions.ts'
import { type Before, Proof, type Proven } from './proof.ts'

/** The progress of a command. */
type Progress =
  /** The service has received the command, or the panel is executing it. */
  | { stage: 'running' }
  /** The panel has received the command; some services never report more (field fact). */
  | { stage: 'handled' }
  | { stage: 'done' }
  /** The panel's texts about the failure; they can contain anything. */
  | { stage: 'failed'; reasons: readonly string[] }
  /** A later command replaced this one at the panel. */
  | { stage: 'replaced' }
  /** The service no longer knows the command. */
  | { stage: 'lost' }

/** Returns the progress that the service reports for the command with this token. */
export function progressOf(processes: readonly ProcessStatus[], token: string): Progress {
  const own = processes.find((process) => process.token === token)
  if (own === undefined) return { stage: 'lost' }
  switch (own.status.toLowerCase()) {
    case 'succeeded':
      return { stage: 'done' }
    case 'handled':
      return { stage: 'handled' }
    case 'failed':
      if (/^replaced$/i.test(own.message)) return { stage: 'replaced' }
      return { stage: 'failed', reasons: [own.message, own.error].filter((text) => text !== '') }
    default:
      return { stage: 'running' }
  }
}

/** Milliseconds for which a command is followed after it was sent. */
export const maxFollowTime = 60 * second

/**
 * Seconds between requests for the progress; a panel mostly takes two to five, and the request budget is
 * small.
 */
const pauses = [1, 1, 2, 3, 5, 8, 13]

/** Returns the milliseconds to wait before the request for the progress with this number, counted from 0. */
export function delayBefore(look: number): number {
  return second * (pauses[look] ?? 20)
}

/** Transient errors: the next request may succeed. */
const transientCodes = codesThatAre('transient')

/** The facts from before a command was sent, and from the moment in which it was. */
interface SentFrom {
  before: Before
  /** The events that were listed then; undefined if they are not known. */
  eventsBefore: Promise<readonly PanelEvent[] | undefined>
}

/**
 * Determines the result of a command that was sent: from its progress or, if that is not available, from what proves that it
 * was carried out.
 */
export class CommandResult {
  readonly #command: Command
  readonly #panel: CommandedPanel
  readonly #signal: AbortSignal
  readonly #currentState: CurrentState
  readonly #sentAt: number

  /** Must be created right after the command was sent. */
  constructor(command: Command, panel: CommandedPanel, signal: AbortSignal) {
    this.#command = command
    this.#panel = panel
    this.#signal = signal
    this.#currentState = new CurrentState(panel, signal)
    this.#sentAt = this.#now
  }

  /**
   * Resolves when it is proved that the panel has executed the command.
   * @throws KeyholderError COMMAND_FAILED if it has not, or if that is not known after a minute
   */
  async waitForResult(sent: Sent, { before, eventsBefore }: SentFrom): Promise<Proven> {
    const { action } = this.#command
    const isSiren = action === 'siren_on' || action === 'siren_off'
    const proof = new Proof(this.#command, {
      ...{ before, eventsBefore, state: this.#currentState, sentAt: this.#sentAt },
      isDoubtful: 'doubt' in sent,
    })
    let token = 'token' in sent ? sent.token : undefined
    let wasHandled = false
    let doneBy: AnswerTimes | undefined
    // No answer shows whether a siren sounds: only the progress can be read.
    for (let reads = 0; this.#left > 0 && !(isSiren && token === undefined); reads += 1) {
      await delay(this.#panel.account.clock, Math.min(delayBefore(reads), this.#left), this.#signal)
      const { progress, seen } =
        token === undefined || doneBy ? lostProgress : await this.#readProgress(token)
      if (progress.stage === 'failed') throw await this.#failure(progress.reasons)
      if (progress.stage === 'replaced')
        throw failed(
          `At the panel, a later command replaced ${describeCommand(this.#command)}. If you still want it, send it again.`,
          'Replaced',
        )
      if (progress.stage === 'done') doneBy = seen
      if (doneBy !== undefined) {
        // The service may show the option a little later.
        if (await proof.lacksOption()) continue
        return { ...doneBy, already: await proof.wasAlready() }
      }
      const isJustHandled: boolean = progress.stage === 'handled' && !wasHandled
      wasHandled ||= isJustHandled
      if (progress.stage === 'lost') token = undefined
      // The next progress may make it unnecessary to read the state.
      if (isJustHandled && this.#left > 0) continue
      if (isSiren || (progress.stage === 'running' && this.#left > 0)) continue
      const proven = await proof.look()
      if (proven !== undefined) return proven
    }
    const why = 'doubt' in sent ? `${sent.doubt.message} ` : ''
    const wakeup = await this.#wakeupHint()
    const what = capitalized(describeCommand(this.#command))
    const known = doneBy
      ? `The panel reports that it has carried out ${describeCommand(this.#command)}, but does not show all options of it: ${optionsOf(this.#command)}.`
      : `${what} was sent once, and the nodes do not repeat it. ${wasHandled ? 'The panel has received it. ' : ''}Its result is not known.`
    throw failed(`${why}${known} ${wakeup}${proof.lastShown}Look at the panel.`, unknownOutcome)
  }

  /** Returns a sentence for a panel that sleeps, with a space at its end; empty if it does not, or if that is not known. */
  async #wakeupHint(): Promise<string> {
    const info = await this.#currentState.info().catch(() => undefined)
    if (info?.local_wakeup_needed !== true) return ''
    return 'By its own information, the panel must be woken up on site before it takes commands: press a key of its keypad, then send the command again. '
  }

  /** Returns the progress. A transient error says nothing about it, so the command counts as running. */
  async #readProgress(token: string): Promise<{ progress: Progress; seen: AnswerTimes }> {
    try {
      const answer = await this.#currentState.processes(token)
      return { progress: progressOf(answer.value, token), seen: answer }
    } catch (thrown) {
      if (isClosed(thrown)) throw thrown
      return hasCode(thrown, ...transientCodes) ? running : lostProgress
    }
  }

  /**
   * Returns the failure with the panel's own reason and, if the panel is not ready to arm, with what prevents
   * it.
   */
  async #failure(reasons: readonly string[]): Promise<KeyholderError> {
    const { account } = this.#panel
    // A reason is a word, as in every refusal; anything else may be private data and is not passed on.
    const reason = reasons.find((text) => /^\w{1,64}$/.test(text) && !account.isSecret(text))
    const why = reason === undefined ? ' and gave no reason' : ''
    const remedy = (await this.#whyNotReady()) || 'Look at the keypad, then try again.'
    return failed(`The panel did not carry out ${describeCommand(this.#command)}${why}. ${remedy}`, reason)
  }

  async #whyNotReady(): Promise<string> {
    if (this.#command.action !== 'set_state') return ''
    try {
      const { value: situation } = await this.#currentState.situation(this.#sentAt)
      const partitions = unreadyPartitions(this.#command, situation)
      if (partitions.length === 0) return ''
      const unready = { partitions, command: this.#command, bypassMode: situation.bypassMode }
      return describeReasons(unready, await readReasons(unready, this.#currentState, this.#sentAt))
    } catch (thrown) {
      if (isClosed(thrown)) throw thrown
      return ''
    }
  }

  /** Milliseconds for which the command is still followed. */
  get #left(): number {
    return this.#sentAt + maxFollowTime - this.#now
  }

  get #now(): number {
    return this.#panel.account.clock.monotonic()
  }
}

const unconfirmed: AnswerTimes = { fetchedAt: 0, at: 0, sentAt: 0 }
const running = { progress: { stage: 'running' }, seen: unconfirmed } as const
const lostProgress = { progress: { stage: 'lost' }, seen: unconfirmed } as const

function optionsOf(command: Command): string {
  return command.action === 'set_state' ? command.options.join(', ') : ''
}

function failed(sentence: string, reason: string | undefined): KeyholderError {
  return commandError('COMMAND_FAILED', sentence, reason)
}

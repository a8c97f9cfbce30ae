import type { Sent } from '../../account/account.ts'
import type { Answer } from '../../account/flights.ts'
import type { ErrorCode, KeyholderError } from '../../service/error.ts'
import { hasCode, outOfReach } from '../../service/error-code.ts'
import type { Command } from './command.ts'
import { failure, unknownOutcome } from './failure.ts'
import { type CommandedPanel, FreshLook } from './fresh-look.ts'
import { obstacles } from './obstacles.ts'
import { shown, showsBypass, showsState } from './outcome.ts'
import { isClosed, pause } from './pause.ts'
import { unready } from './permission.ts'
import { followedFor, type Progress, pauseBefore, progressOf } from './progress.ts'

/** When the answer came that shows a command to be done. */
export type Seen = Pick<Answer<unknown>, 'fetchedAt' | 'at' | 'sentAt'>

/** What passes by itself: the next question may well be answered. */
const passing: readonly ErrorCode[] = [
  ...outOfReach,
  ...(['SERVER_ERROR', 'RATE_LIMITED', 'LOGIN_BLOCKED', 'SESSION_EXPIRED'] as const),
]

/** Finds out what became of a command that was sent: from its progress, or, where that is not to be had, from what it changed. */
export class FollowUp {
  readonly #command: Command
  readonly #panel: CommandedPanel
  readonly #signal: AbortSignal
  readonly #look: FreshLook
  readonly #sentAt: number
  #shown = ''

  /** To be made when the command has just been sent. */
  constructor(command: Command, panel: CommandedPanel, signal: AbortSignal) {
    this.#command = command
    this.#panel = panel
    this.#signal = signal
    this.#look = new FreshLook(panel, signal)
    this.#sentAt = this.#now
  }

  /**
   * Settles when the panel has done it.
   * @throws KeyholderError COMMAND_FAILED where it did not, or where that is not known after a minute
   */
  async outcome(sent: Sent): Promise<Seen> {
    const { action } = this.#command
    const isSiren = action === 'siren_on' || action === 'siren_off'
    let token = 'token' in sent ? sent.token : undefined
    let wasHandled = false
    // No answer shows whether a siren sounds: there is nothing to look at but the progress.
    for (let look = 0; this.#left > 0 && !(isSiren && token === undefined); look += 1) {
      await pause(this.#panel.account.clock, Math.min(pauseBefore(look), this.#left), this.#signal)
      const { progress, seen } = token === undefined ? lost : await this.#ask(token)
      if (progress.stage === 'failed') throw await this.#failure(progress.reasons)
      if (progress.stage === 'replaced')
        throw failed('A later command took its place at the panel.', 'Replaced')
      // Where the service says no more than that the panel has it, that has to do for a siren.
      const isHandled = progress.stage === 'handled'
      if (progress.stage === 'done' || (isSiren && isHandled && wasHandled)) return seen
      const isJustHandled = isHandled && !wasHandled
      wasHandled ||= isHandled
      if (progress.stage === 'lost') token = undefined
      // What it is about to say may spare the look at the state.
      if (isJustHandled && this.#left > 0) continue
      if (isSiren || (progress.stage === 'running' && this.#left > 0)) continue
      const change = await this.#change()
      if (change !== undefined) return change
    }
    const why = 'doubt' in sent ? `${sent.doubt.message} ` : ''
    throw failed(
      `${why}It is not known whether the panel has done it; it was not sent again. ${this.#shown}`,
      unknownOutcome,
    )
  }

  /** How far it has come; what hinders a question for a while says nothing about that. */
  async #ask(token: string): Promise<{ progress: Progress; seen: Seen }> {
    try {
      const answer = await this.#look.processes(token)
      return { progress: progressOf(answer.value, token), seen: answer }
    } catch (thrown) {
      if (isClosed(thrown)) throw thrown
      return hasCode(thrown, ...passing) ? running : lost
    }
  }

  /** When the change was seen that was commanded; nothing where it does not show, or nobody can tell. */
  async #change(): Promise<Seen | undefined> {
    const command = this.#command
    try {
      if (command.action === 'bypass') {
        const devices = await this.#look.devices(this.#sentAt)
        return showsBypass(command, devices.value) ? devices : undefined
      }
      if (command.action !== 'set_state') return undefined
      const situation = await this.#look.situation(this.#sentAt)
      this.#shown = shown(command, situation.value)
      return showsState(command, situation.value) ? situation : undefined
    } catch (thrown) {
      if (isClosed(thrown)) throw thrown
      return undefined
    }
  }

  /** What the panel holds against it, in its own word and, where it is not ready to be armed, zone by zone. */
  async #failure(reasons: readonly string[]): Promise<KeyholderError> {
    const { account } = this.#panel
    // A reason is a word, as of every refusal; anything else may be private data, and goes no further.
    const reason = reasons.find((text) => /^\w{1,64}$/.test(text) && !account.isSecret(text))
    const why = reason === undefined ? ' and gives no reason' : ''
    return failed(`The panel did not do it${why}. ${await this.#obstacles()}`, reason)
  }

  async #obstacles(): Promise<string> {
    if (this.#command.action !== 'set_state') return ''
    try {
      const partitions = unready(this.#command, (await this.#look.situation(this.#sentAt)).value)
      if (partitions.length === 0) return ''
      return obstacles(partitions, (await this.#look.devices(this.#sentAt)).value)
    } catch (thrown) {
      if (isClosed(thrown)) throw thrown
      return ''
    }
  }

  /** Milliseconds for which it is still followed. */
  get #left(): number {
    return this.#sentAt + followedFor - this.#now
  }

  get #now(): number {
    return this.#panel.account.clock.monotonic()
  }
}

const nobody: Seen = { fetchedAt: 0, at: 0, sentAt: 0 }
const running = { progress: { stage: 'running' }, seen: nobody } as const
const lost = { progress: { stage: 'lost' }, seen: nobody } as const

function failed(sentence: string, reason: string | undefined): KeyholderError {
  return failure('COMMAND_FAILED', sentence.trim(), reason)
}

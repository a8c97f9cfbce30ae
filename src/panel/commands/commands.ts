import { KeyholderError } from '../../service/error.ts'
import type { News } from '../panel.ts'
import { type Command, inWords } from './command.ts'
import { type CommandLine, lineOf } from './command-line.ts'
import { Execution } from './execution.ts'
import { unknownOutcome } from './failure.ts'
import type { CommandedPanel } from './fresh-look.ts'
import { isClosed } from './pause.ts'

/** A command that the panel has done. */
export interface Done {
  /** Milliseconds from the moment at which the command came in. */
  tookMs: number
}

/** What flows command one panel to do, one command after the other. */
export class Commands {
  readonly #panel: CommandedPanel
  readonly #line: CommandLine

  constructor(panel: CommandedPanel) {
    this.#panel = panel
    this.#line = lineOf(panel.account, panel.settings.serial)
  }

  /**
   * Lets nothing pass unless the user has allowed commands to this panel.
   * @throws KeyholderError COMMANDS_DISABLED
   */
  refuseUnlessAllowed(): void {
    if (this.#panel.settings.allowCommands) return
    const remedy = 'Tick "Allow flows to send commands" in the alarm panel node if flows are to command it.'
    throw new KeyholderError('COMMANDS_DISABLED', `Commands to this panel are not allowed. ${remedy}`)
  }

  /**
   * Has the panel do something, and settles when it is done. It is sent once at most, whatever happens.
   * @param signal whoever commands goes away: what has not been sent by then is not sent
   * @throws KeyholderError why it was not sent, or COMMAND_FAILED; CLOSED, with the reason `Unknown` where it was sent
   */
  async run(command: Command, signal: AbortSignal): Promise<News<Done>> {
    this.refuseUnlessAllowed()
    const { clock } = this.#panel.account
    const arrivedAt = clock.monotonic()
    const execution = new Execution(command, this.#panel, signal)
    try {
      const seen = await this.#line.run(command, signal, (recall) => execution.run(recall))
      const { fetchedAt, at, sentAt } = seen
      const tookMs = Math.round(clock.monotonic() - arrivedAt)
      return { view: { tookMs }, fetchedAt, at, sentAt, goodFor: Number.POSITIVE_INFINITY }
    } catch (thrown) {
      if (!isClosed(thrown)) throw thrown
      const what = `${this.#panel.title()}: ${inWords(command)}`
      if (!execution.hasLeft)
        throw new KeyholderError('CLOSED', `${what} was not sent: the flow was stopped.`)
      const sentence = `${what} was sent when the flow stopped; how it ended is not known.`
      throw new KeyholderError('CLOSED', sentence, { reason: unknownOutcome })
    }
  }
}

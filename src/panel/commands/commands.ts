import { KeyholderError } from '../../service/error.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Command, inWords } from './command.ts'
import { unknownOutcome } from './command-error.ts'
import { CommandExecution } from './command-execution.ts'
import { type CommandQueue, queueOf } from './command-queue.ts'
import type { CommandedPanel } from './current-state.ts'
import { isClosed } from './pause.ts'

/** A command that the panel has executed. */
export interface Done {
  /** Milliseconds since the arrival of the command. */
  tookMs: number
}

/** The commands of flows to one panel, one after another. */
export class Commands {
  readonly #panel: CommandedPanel
  readonly #line: CommandQueue

  constructor(panel: CommandedPanel) {
    this.#panel = panel
    this.#line = queueOf(panel.account, panel.settings.serial)
  }

  /**
   * Throws unless the user has allowed commands to this panel.
   * @throws KeyholderError COMMANDS_DISABLED
   */
  refuseUnlessAllowed(): void {
    if (this.#panel.settings.allowCommands) return
    const remedy = 'Tick "Allow flows to send commands" in the alarm panel node if flows are to command it.'
    throw new KeyholderError('COMMANDS_DISABLED', `Commands to this panel are not allowed. ${remedy}`)
  }

  /**
   * Executes a command and resolves when it is done. The command is sent at most once, whatever happens.
   * @param signal aborted when the flow stops: a command that is not sent by then is not sent
   * @throws KeyholderError the reason why it was not sent, or COMMAND_FAILED; CLOSED, with the reason
   * `Unknown` if it was sent
   */
  async run(command: Command, signal: AbortSignal): Promise<Snapshot<Done>> {
    this.refuseUnlessAllowed()
    const { clock } = this.#panel.account
    const arrivedAt = clock.monotonic()
    const execution = new CommandExecution(command, this.#panel, signal)
    try {
      const seen = await this.#line.run(command, signal, (recall) => execution.run(recall))
      const { fetchedAt, at, sentAt } = seen
      const tookMs = Math.round(clock.monotonic() - arrivedAt)
      return { view: { tookMs }, fetchedAt, at, sentAt, validFor: Number.POSITIVE_INFINITY }
    } catch (thrown) {
      if (!isClosed(thrown)) throw thrown
      const what = `${this.#panel.title()}: ${inWords(command)}`
      if (!execution.wasSent)
        throw new KeyholderError('CLOSED', `${what} was not sent: the flow was stopped.`)
      const sentence = `${what} was sent when the flow stopped; how it ended is not known.`
      throw new KeyholderError('CLOSED', sentence, { reason: unknownOutcome })
    }
  }
}

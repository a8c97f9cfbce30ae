import { second } from '../../duration.ts'
import type { Command } from '../../panel/commands/command.ts'
import type { Panel } from '../../panel/panel.ts'
import { asKeyholderError } from '../../service/error.ts'
import { needsDevices } from '../announced-entities.ts'
import type { Setup } from '../setup.ts'
import type { CodeCheck } from './code-check.ts'
import { type KnownDevices, parseRequest } from './requests.ts'

/** Milliseconds between two refreshes: each is sent before the polls, and a flood would take all requests of the account. */
const refreshInterval = 10 * second

/** Executes what Home Assistant asks for, if the panel allows it and the code is right. */
export class RequestExecution {
  readonly #setup: Setup
  readonly #panel: Panel
  readonly #codeCheck: CodeCheck
  readonly #nodeId: string
  readonly #tell: (result: object) => void
  /** Milliseconds of the monotonic clock. */
  #refreshedAt = Number.NEGATIVE_INFINITY

  /** @param tell gets the result of each command */
  constructor(
    setup: Setup,
    panel: Panel,
    codeCheck: CodeCheck,
    nodeId: string,
    tell: (result: object) => void,
  ) {
    this.#setup = setup
    this.#panel = panel
    this.#codeCheck = codeCheck
    this.#nodeId = nodeId
    this.#tell = tell
  }

  /**
   * Executes a message of the broker; one that asks this panel for nothing is ignored.
   * @throws KeyholderError the reason why it was refused
   */
  async execute(topic: string, payload: string, devices: KnownDevices, signal: AbortSignal): Promise<void> {
    let command: Command | undefined
    try {
      const request = parseRequest(this.#setup, topic, payload, devices)
      if (request === undefined) return
      const { commands, settings, account } = this.#panel
      commands.refuseUnlessAllowed()
      if (request.action === 'refresh') return await this.#refresh(signal)
      command = request.command
      if (request.code !== undefined)
        this.#codeCheck.check(request.code, settings.userCode, account.clock.monotonic())
      await commands.execute(command, signal, this.#nodeId)
      this.#tell({ event_type: 'done', ...command })
      if (command.action === 'bypass') this.#panel.devices.refresh()
    } catch (thrown) {
      const { code, message } = asKeyholderError(thrown)
      this.#tell({ event_type: 'refused', ...command, code, reason: message })
      throw thrown
    }
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const { state, devices, account } = this.#panel
    const now = account.clock.monotonic()
    if (now - this.#refreshedAt < refreshInterval) return
    this.#refreshedAt = now
    await Promise.all([state.read(signal), ...(needsDevices(this.#setup) ? [devices.read(signal)] : [])])
  }
}

import type { Sent } from '../../account/account.ts'
import type { Departure } from '../../account/calls.ts'
import type { KeyholderError } from '../../service/error.ts'
import type { Command } from './command.ts'
import { FollowUp, type Seen } from './follow-up.ts'
import { type CommandedPanel, FreshLook } from './fresh-look.ts'
import { showsBypass } from './outcome.ts'
import { closedError, isClosed } from './pause.ts'
import {
  bypassRefusal,
  onlineRefusal,
  sirenRefusal,
  stateRefusal,
  unready,
  unreadyRefusal,
} from './permission.ts'
import { sendingOf } from './sending.ts'

/** The way of one command: the checks, the sending, and what became of it. */
export class Execution {
  readonly #command: Command
  readonly #panel: CommandedPanel
  readonly #signal: AbortSignal
  readonly #departure: Departure = { hasLeft: false }

  /** @param signal whoever commands goes away: what has left is not followed any more */
  constructor(command: Command, panel: CommandedPanel, signal: AbortSignal) {
    this.#command = command
    this.#panel = panel
    this.#signal = signal
  }

  /** Whether the panel may have got the command. */
  get hasLeft(): boolean {
    return this.#departure.hasLeft
  }

  /**
   * Checks, sends and follows the command until it is known what became of it, or for a minute.
   * @param recall takes the command back as long as it has not left; its reason is the error to fail with
   * @throws KeyholderError
   */
  async run(recall: AbortSignal): Promise<Seen> {
    const sent = await this.#checkedAndSent(recall).catch((thrown) => {
      throw recall.aborted && !this.hasLeft && isClosed(thrown) ? recall.reason : thrown
    })
    if ('fetchedAt' in sent) return sent
    try {
      return await new FollowUp(this.#command, this.#panel, this.#signal).outcome(sent)
    } finally {
      // Also where it failed, or nobody waits any more: whoever listens to the state should not have to wonder.
      if (this.#command.action === 'set_state') this.#panel.settle()
    }
  }

  async #checkedAndSent(recall: AbortSignal): Promise<Seen | Sent> {
    return (await this.#check(new FreshLook(this.#panel, recall))) ?? (await this.#send(recall))
  }

  /** Refuses what cannot be done; answers where it is done already. */
  async #check(look: FreshLook): Promise<Seen | undefined> {
    const command = this.#command
    const now = this.#panel.account.clock.monotonic()
    const { value: situation } = await look.situation(now)
    refuse(onlineRefusal(situation))
    switch (command.action) {
      case 'set_state': {
        refuse(stateRefusal(command, situation))
        const partitions = unready(command, situation)
        if (partitions.length > 0) throw unreadyRefusal(partitions, (await look.devices(now)).value)
        return undefined
      }
      case 'bypass': {
        const devices = await look.devices(now)
        refuse(bypassRefusal(command, devices.value))
        return showsBypass(command, devices.value) ? devices : undefined
      }
      default:
        refuse(sirenRefusal(command, (await look.info()).features))
        return undefined
    }
  }

  /** Sends it. Whoever commands need not wait for the answer when the flow stops: nothing can be taken back by then. */
  async #send(recall: AbortSignal): Promise<Sent> {
    const { account, settings } = this.#panel
    const { operation, body } = sendingOf(this.#command)
    const order = { panel: settings, body, signal: recall, departure: this.#departure }
    const sending = account.command(operation, order)
    let leave = () => {}
    const gone = new Promise<never>((_, reject) => {
      leave = () => this.hasLeft && reject(closedError())
    })
    this.#signal.addEventListener('abort', leave)
    try {
      return await Promise.race([sending, gone])
    } finally {
      this.#signal.removeEventListener('abort', leave)
    }
  }
}

function refuse(error: KeyholderError | undefined): void {
  if (error !== undefined) throw error
}

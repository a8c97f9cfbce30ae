import { KeyholderError, onOneLine } from '../../../service/error.ts'
import { capitalized, describeCommand } from '../command.ts'
import type { BypassRecord } from './bypass-records.ts'
import { type Settled, zonesOf } from './settled-record.ts'
import { isLasting, type Untold } from './settlement-progress.ts'

/** The receiver of what a settlement has to tell; the functions must not throw. */
export interface SettlementReceiver {
  /** Reports what a Catch node should know. */
  outage(error: KeyholderError): void
  /** Reports a sentence for the log. */
  notice(sentence: string): void
}

/** The sentences about bypasses that no answer of a command tells. */
export class SettlementReports {
  readonly #receiver: SettlementReceiver
  readonly #title: () => string

  /** @param title returns the name of the panel */
  constructor(receiver: SettlementReceiver, title: () => string) {
    this.#receiver = receiver
    this.#title = title
  }

  /** Tells what became of a record whose command could not be answered or, if that is new, was answered otherwise. */
  tell(record: BypassRecord, { what, sentence }: Settled, { isInterrupted, isUntold }: Untold): void {
    const command = `${this.#title()}: ${capitalized(describeCommand({ action: 'set_state', options: [], ...record }))}`
    if (isInterrupted) {
      const became =
        what === 'armed' ? 'was carried out, but could not be answered' : 'was not carried out to its end'
      const why = 'because the flow or Node-RED was stopped.'
      this.#receiver.outage(new KeyholderError('CLOSED', `${command} ${became}, ${why} ${sentence}`))
    } else if (what === 'leave') {
      const why =
        'has ended while Node-RED was stopped. Somebody may have armed the panel or bypassed zones by hand since, so the nodes change nothing.'
      this.#receiver.outage(new KeyholderError('CLOSED', `${command} ${why} ${sentence}`))
    } else if (what === 'take back' || what === 'forget')
      this.#receiver.notice(onOneLine(`${command} has ended. ${sentence}`))
    else if (isUntold) this.#receiver.notice(onOneLine(`${command} is still in effect. ${sentence}`))
  }

  /** Tells that the bypasses of a record could not be taken back. */
  tellFailure(record: BypassRecord, error: KeyholderError): void {
    const { code, message, status, reason } = error
    const remedy = isLasting(error) ? 'Look at the panel.' : 'The nodes try again.'
    const sentence = `${this.#title()}: ${mayStay([record])} ${message} ${remedy}`
    this.#receiver.outage(new KeyholderError(code, sentence, { status, reason }))
  }

  /** Tells that an earlier process has left bypasses, and that commands have been turned off since. */
  tellTurnedOff(records: readonly BypassRecord[]): void {
    const sentence = `${this.#title()}: ${mayStay(records)} Commands are turned off for this panel now, so the nodes change nothing. Look at the panel.`
    this.#receiver.outage(new KeyholderError('COMMANDS_DISABLED', sentence))
  }

  /** Tells that the file of the records cannot be used. */
  tellUnusable(warning: string): void {
    this.#receiver.outage(new KeyholderError('BAD_SETTING', `${this.#title()}: ${warning}`))
  }
}

function mayStay(records: readonly BypassRecord[]): string {
  return `${zonesOf(records)} may still be bypassed, because a command has armed the panel without them.`
}

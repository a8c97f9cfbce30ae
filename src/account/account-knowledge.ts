import { KeyholderError } from '../service/error.ts'
import type { AccountPanel } from '../service/responses/panels.ts'

/** The panels of an account, as the service has told them to any account of the sign-in. */
export class AccountKnowledge {
  #panels: readonly AccountPanel[] | undefined
  #serials: ReadonlySet<string> = new Set()
  #panelTypes: readonly string[] | undefined
  readonly #codeLengths = new Map<string, readonly number[]>()

  /** The number of panels in the latest list; 0 before the first one. */
  get panelCount(): number {
    return this.#serials.size
  }

  /** The types in the latest list, one for each panel; undefined until it was read. */
  get panelTypes(): readonly string[] | undefined {
    return this.#panelTypes
  }

  /** Notes the account's list of panels: a rejection of one of their serials no longer applies. */
  notePanels(panels: readonly AccountPanel[]): void {
    // Each poll of each panel notes the list again.
    if (this.#panels === panels) return
    this.#panels = panels
    this.#serials = new Set(panels.map(({ panel_serial }) => panel_serial))
    this.#panelTypes = panels.map(({ type }) => type)
  }

  /** Returns true if the latest list has the serial of a panel. */
  isListed(serial: string): boolean {
    return this.#serials.has(serial)
  }

  /** Notes the possible lengths of the user codes of a panel; empty if they are unknown. */
  noteCodeLengths(serial: string, lengths: readonly number[]): void {
    this.#codeLengths.set(serial, lengths)
  }

  /**
   * Returns the error for a user code of a length that the panel does not have (interface specification 8.3): the
   * panel counts wrong codes, so it is not sent. Undefined if the length is possible.
   */
  codeLengthRefusal(serial: string, userCode: string): KeyholderError | undefined {
    const lengths = this.#codeLengths.get(serial) ?? []
    if (lengths.length === 0 || lengths.includes(userCode.length)) return undefined
    return new KeyholderError(
      'BAD_SETTING',
      `User code: the user codes of this panel have ${lengths.join(' or ')} digits, so this one was not sent. Enter exactly the code that you type at the panel.`,
      {},
      { text: 'finding.codeLength', values: { lengths: lengths.join(', ') } },
    )
  }
}

import type { Locator } from 'playwright-core'
import { catalogue } from '../../fixtures/locales.ts'
import type { Dialog } from './dialog.ts'

/** A step of a check, as a dialog shows it. */
export interface ShownFinding {
  step: string
  state: string
  /** The whole text. */
  text: string
}

/** A button of a dialog that starts a check, and the list of its findings. */
export class CheckOf {
  readonly #button: Locator
  readonly #list: Locator
  readonly #stop: string

  /**
   * @param begins ID of the button, without our common prefix; `list` is the ID of the list
   * @param language of the editor, as the name of its file in `locales`
   */
  constructor(dialog: Dialog, begins: string, list: string, language = 'en-US') {
    this.#stop = catalogue(language, 'account').get('account.label.stop') ?? ''
    this.#button = dialog.form.locator(`#keyholder-${begins}`)
    this.#list = dialog.form.locator(`#keyholder-${list}`)
  }

  /** Starts the check after the previous one has ended: until then, the button would stop that one. */
  async start(): Promise<void> {
    await this.ended()
    await this.#button.click()
  }

  /** Stops the running check. */
  stop(): Promise<void> {
    return this.#button.filter({ hasText: this.#stop }).click()
  }

  /** Waits until the button has this label. */
  says(text: string): Promise<void> {
    return this.#button.filter({ hasText: text }).waitFor()
  }

  /** Waits for the end of the check; no finding follows. */
  ended(): Promise<void> {
    return this.#button.filter({ hasNotText: this.#stop }).waitFor()
  }

  /** Waits until a step is in this state. */
  reaches(step: string, state: 'running' | 'done' | 'notice' | 'failed'): Promise<void> {
    return this.item(step, state).waitFor()
  }

  /** Returns the item of a step in this state. */
  item(step: string, state: 'running' | 'done' | 'notice' | 'failed'): Locator {
    return this.#list.locator(`li[data-step="${step}"].keyholder-${state}`)
  }

  /** Returns the current findings. */
  findings(): Promise<ShownFinding[]> {
    return this.#list.locator('li[data-step]').evaluateAll((items) =>
      (items as HTMLElement[]).map((item) => ({
        step: item.dataset.step ?? '',
        state: /keyholder-(running|done|notice|failed)/.exec(item.className)?.[1] ?? '',
        text: item.innerText,
      })),
    )
  }
}

import type { Locator } from 'playwright-core'
import { catalogue } from '../locales.ts'
import type { Dialog } from './dialog.ts'

const stop = catalogue('en-US', 'account').get('account.label.stop') ?? ''

/** A step of a check, as a dialog shows it. */
export interface ShownFinding {
  step: string
  state: string
  /** All that stands there. */
  text: string
}

/** A button of a dialog that starts a check, and the list in which its findings appear. */
export class CheckOf {
  readonly #button: Locator
  readonly #list: Locator

  /** @param begins the id of the button, without what all of ours begin with; `list` is that of the list */
  constructor(dialog: Dialog, begins: string, list: string) {
    this.#button = dialog.form.locator(`#keyholder-${begins}`)
    this.#list = dialog.form.locator(`#keyholder-${list}`)
  }

  /** Starts it, once the one before is over: until then the button stops that. */
  async start(): Promise<void> {
    await this.ended()
    await this.#button.click()
  }

  /** Stops it while it runs. */
  stop(): Promise<void> {
    return this.#button.filter({ hasText: stop }).click()
  }

  /** Waits until the button says this. */
  says(text: string): Promise<void> {
    return this.#button.filter({ hasText: text }).waitFor()
  }

  /** Waits until it is over: then no other finding comes. */
  ended(): Promise<void> {
    return this.#button.filter({ hasNotText: stop }).waitFor()
  }

  /** Waits until a step has come to this state. */
  reaches(step: string, state: 'running' | 'done' | 'failed'): Promise<void> {
    return this.item(step, state).waitFor()
  }

  /** What is shown of a step, in this state. */
  item(step: string, state: 'running' | 'done' | 'failed'): Locator {
    return this.#list.locator(`li[data-step="${step}"].keyholder-${state}`)
  }

  /** What is shown at the moment. */
  findings(): Promise<ShownFinding[]> {
    return this.#list.locator('li[data-step]').evaluateAll((items) =>
      (items as HTMLElement[]).map((item) => ({
        step: item.dataset.step ?? '',
        state: /keyholder-(running|done|failed)/.exec(item.className)?.[1] ?? '',
        text: item.innerText,
      })),
    )
  }
}

import type { Browser, Locator, Page } from 'playwright-core'
import { Dialog } from './dialog.ts'
import { darkTheme, type Look } from './look.ts'
import { type PageOptions, type WatchedPage, watchedPage } from './watched-page.ts'

/** How an editor's page is opened. */
export interface EditorOptions extends PageOptions {
  /** The browser's language, English of the United States by default. */
  language?: string
}

/** Node-RED's editor in a page of its own, handled as a user does: by clicks and keys. */
export class Editor {
  readonly page: Page
  /** What the page complained of; nothing is to be in it. */
  readonly complaints: string[]
  readonly #watched: WatchedPage

  private constructor(watched: WatchedPage) {
    this.#watched = watched
    this.page = watched.page
    this.complaints = watched.complaints
  }

  /** Opens the editor at this address and waits until it can be used. */
  static async open(
    browser: Browser,
    url: string,
    { theme }: Look,
    { language = 'en-US', stored, ...options }: EditorOptions = {},
  ): Promise<Editor> {
    const watched = await watchedPage(browser, {
      locale: language,
      // 4.1 does not look at it.
      stored: { ...(theme === 'dark' && darkTheme.stored), ...stored },
      ...options,
    })
    const editor = new Editor(watched)
    await editor.page.goto(url)
    await editor.#loaded()
    return editor
  }

  /** A node in the workspace. */
  node(id: string): Locator {
    return this.page.locator(`#red-ui-workspace [id="${id}"]`)
  }

  /** Waits until a node shows in the workspace that something in it is wrong, and says what to who points at the mark. */
  async saysWrong(id: string, sentence: string): Promise<void> {
    await this.page.mouse.move(0, 0)
    await this.node(id).locator('.red-ui-flow-node-error').hover()
    await this.page.locator('.red-ui-flow-port-tooltip', { hasText: sentence }).waitFor()
  }

  /** Waits until a node shows in the workspace that nothing in it is wrong. */
  async saysRight(id: string): Promise<void> {
    await this.node(id).locator('.red-ui-flow-node-error').waitFor({ state: 'hidden' })
  }

  /** Waits until a node shows this status below it. */
  async hasStatus(id: string, text: string): Promise<void> {
    await this.node(id).locator('.red-ui-flow-node-status-label', { hasText: text }).waitFor()
  }

  /** Opens the dialog of a node in the workspace. */
  async open(id: string): Promise<Dialog> {
    // A double click counts only within 650 ms, which a busy machine may not keep.
    await this.node(id).click()
    await this.page.keyboard.press('Enter')
    return Dialog.opening(this.page)
  }

  /**
   * Deploys, and waits until it is done.
   * @throws Error with what Node-RED has against it
   */
  async deploy(): Promise<void> {
    await this.page.locator('#red-ui-header-button-deploy').click()
    const done = this.page.locator('#red-ui-header-button-deploy.disabled')
    const question = this.page.locator('.red-ui-notification:has(button)')
    await done.or(question).first().waitFor()
    if (await question.isVisible()) throw new Error(`Deploy: ${await question.innerText()}`)
  }

  /** Closes the dialogs that are open, without saving. */
  async closeDialogs(): Promise<void> {
    let dialog = await Dialog.top(this.page)
    while (dialog) dialog = await dialog.cancel()
  }

  /** Loads the page anew, as it stands on the server. */
  async reload(): Promise<void> {
    await this.page.reload()
    await this.#loaded()
  }

  close(): Promise<void> {
    return this.#watched.close()
  }

  async #loaded(): Promise<void> {
    await this.page.locator('#red-ui-palette .red-ui-palette-node').first().waitFor()
    await this.page.locator('#red-ui-loading-progress').waitFor({ state: 'hidden' })
  }
}

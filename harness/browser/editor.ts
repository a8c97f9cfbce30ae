import type { Browser, CDPSession, Locator, Page } from 'playwright-core'
import { Dialog } from './dialogs/dialog.ts'
import { darkTheme, type Look } from './look.ts'
import { type PageOptions, type WatchedPage, watchedPage } from './watched-page.ts'

/** Milliseconds of the longest pause in which the editor waits for an animation, or for the mouse to rest. */
const longestPause = 800

/**
 * A script for the page of an editor: nothing moves, and the pauses that the editor makes for its animations are short.
 * They keep their order.
 */
const withoutAnimations = `{
  const later = setTimeout
  window.setTimeout = (run, delay = 0, ...values) => later(run, delay > ${longestPause} ? delay : delay / 20, ...values)
  document.addEventListener('DOMContentLoaded', () => {
    if (window.jQuery) jQuery.fx.off = true
    const style = document.createElement('style')
    style.textContent = '*, *::before, *::after { transition: none !important; animation: none !important }'
    document.head.append(style)
  })
}`

/** The editor's own object in the page, as far as it is used here. */
declare const RED: {
  actions: { invoke(name: string, isOn: boolean): void }
  editor: { editConfig(name: string, type: string, id: string): void }
  nodes: {
    node(id: string): Record<string, string | undefined>
    clear(): void
    version(revision: string | null): void
    import(flows: unknown): void
    dirty(isChanged: boolean): void
    getWorkspaceOrder(): string[]
  }
  history: { clear(): void }
  view: { redraw(updateActive: boolean): void }
  workspaces: { active(): string | 0; show(id: string | undefined): void }
  events: { emit(name: string): void }
  comms: {
    subscribe(topic: string, use: (topic: string, message: { revision?: string }) => void): void
    unsubscribe(topic: string, use: (topic: string, message: { revision?: string }) => void): void
  }
}

/** A message of the editor. */
type Notice = HTMLElement & { close(): void }

/** Options of an editor's page. */
export interface EditorOptions extends PageOptions {
  /** The browser's language; by default `en-US`. */
  language?: string
  /** Shows the sidebar, by default. Without it, a dialog opens with a seventh less processor time. */
  sidebar?: boolean
}

/** Node-RED's editor in its own page, used like a user does: by clicks and keys. */
export class Editor {
  readonly page: Page
  /** Errors of the page; should stay empty. */
  readonly complaints: string[]
  /** The browser's language. */
  language = ''
  #emulation: CDPSession | undefined
  readonly #watched: WatchedPage
  readonly #hasSidebar: boolean

  private constructor(watched: WatchedPage, hasSidebar: boolean) {
    this.#watched = watched
    this.#hasSidebar = hasSidebar
    this.page = watched.page
    this.complaints = watched.complaints
  }

  /** Opens the editor at this address and waits until it is ready. */
  static async open(
    browser: Browser,
    url: string,
    { theme }: Look,
    { language = 'en-US', sidebar = true, stored, ...options }: EditorOptions = {},
  ): Promise<Editor> {
    const watched = await watchedPage(browser, {
      // Node-RED 4.1 ignores it.
      stored: { ...(theme === 'dark' && darkTheme.stored), ...stored },
      ...options,
    })
    const editor = new Editor(watched, sidebar)
    await editor.page.addInitScript(withoutAnimations)
    await editor.load(url, language)
    return editor
  }

  /** Loads the editor at this address into the page, as a browser in this language, and waits until it is ready. */
  async load(url: string, language: string): Promise<void> {
    // Playwright sets the language of a new browser context only, whose first page takes twice the time.
    this.#emulation ??= await this.page.context().newCDPSession(this.page)
    const userAgent = await this.page.evaluate(() => navigator.userAgent)
    await this.#emulation.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: language })
    await this.#emulation.send('Emulation.setLocaleOverride', { locale: language })
    this.language = language
    await this.page.goto(url)
    await this.#loaded()
  }

  /** Returns a node in the workspace. */
  node(id: string): Locator {
    return this.page.locator(`#red-ui-workspace [id="${id}"]`)
  }

  /** Waits until a node in the workspace is marked as wrong, with this sentence as the tooltip of the mark. */
  async saysWrong(id: string, sentence: string): Promise<void> {
    await this.page.mouse.move(0, 0)
    await this.node(id).locator('.red-ui-flow-node-error').hover()
    await this.page.locator('.red-ui-flow-port-tooltip', { hasText: sentence }).waitFor()
  }

  /** Waits until a node in the workspace is not marked as wrong. */
  async saysRight(id: string): Promise<void> {
    await this.node(id).locator('.red-ui-flow-node-error').waitFor({ state: 'hidden' })
  }

  /** Waits until a node has this status. */
  async hasStatus(id: string, text: string | RegExp): Promise<void> {
    await this.node(id).locator('.red-ui-flow-node-status-label', { hasText: text }).waitFor()
  }

  /** Returns the label of a node in the workspace. */
  label(id: string): Locator {
    return this.node(id).locator('.red-ui-flow-node-label')
  }

  /** Tells if something is changed and not deployed. */
  async isChanged(): Promise<boolean> {
    return !(await this.page.locator('#red-ui-header-button-deploy.disabled').isVisible())
  }

  /** Drags a new node from the palette into the workspace and opens its dialog. */
  async openNew(type: string): Promise<Dialog> {
    const item = this.page.locator(`#red-ui-palette [data-palette-type="${type}"]`)
    await item.scrollIntoViewIfNeeded()
    await item.dragTo(this.page.locator('#red-ui-workspace-chart'), { targetPosition: { x: 500, y: 500 } })
    // The new node is selected.
    await this.page.locator('#red-ui-workspace .red-ui-flow-node-selected').waitFor()
    await this.page.keyboard.press('Enter')
    return Dialog.opening(this.page)
  }

  /** Opens the dialog of a node in the workspace. */
  async open(id: string): Promise<Dialog> {
    // A double click must take less than 650 ms, which can fail on a busy machine.
    await this.node(id).click()
    await this.page.keyboard.press('Enter')
    return Dialog.opening(this.page)
  }

  /**
   * Opens the dialog of a config node, as the list of config nodes in the sidebar does.
   * @param from ID of a node
   * @param fields that lead from this node to the config node, from one to the next
   */
  async openConfig(from: string, fields: readonly string[]): Promise<Dialog> {
    await this.page.evaluate(
      ([from, fields]) => {
        const { type, id } = fields.reduce(
          (node, field) => RED.nodes.node(node[field] ?? ''),
          RED.nodes.node(from),
        )
        RED.editor.editConfig('', type ?? '', id ?? '')
      },
      [from, fields] as const,
    )
    return Dialog.opening(this.page)
  }

  /**
   * Deploys, and waits for the end.
   * @throws Error with Node-RED's question, if it asks one
   */
  async deploy(): Promise<void> {
    await this.page.locator('#red-ui-header-button-deploy').click()
    const done = this.page.locator('#red-ui-header-button-deploy.disabled')
    const question = this.page.locator('.red-ui-notification:has(button)')
    await done.or(question).first().waitFor()
    if (await question.isVisible()) throw new Error(`Deploy: ${await question.innerText()}`)
  }

  /** Closes all open dialogs without saving. */
  async closeDialogs(): Promise<void> {
    let dialog = await Dialog.top(this.page)
    while (dialog) dialog = await dialog.cancel()
  }

  /** Reloads the page with the deployed flows. */
  async reload(): Promise<void> {
    await this.page.reload()
    await this.#loaded()
  }

  /** Takes the flows out of the page and forgets what the browser has stored; `loadFlows` begins anew. */
  async leave(): Promise<void> {
    await this.closeDialogs()
    await this.page.evaluate(clearFlows)
    this.complaints.length = 0
  }

  /** Loads the deployed flows into the page that was left: in a tenth of the time in which the page loads. */
  async loadFlows(): Promise<void> {
    await this.page.evaluate(loadDeployedFlows)
    if (!this.#hasSidebar) await this.showSidebar(false)
  }

  /** Shows the sidebar, or hides it. */
  async showSidebar(isShown: boolean): Promise<void> {
    await this.page.evaluate((isShown) => RED.actions.invoke('core:toggle-sidebar', isShown), isShown)
  }

  close(): Promise<void> {
    return this.#watched.close()
  }

  async #loaded(): Promise<void> {
    await this.page.locator('#red-ui-palette .red-ui-palette-node').first().waitFor()
    await this.page.locator('#red-ui-loading-progress').waitFor({ state: 'hidden' })
    if (!this.#hasSidebar) await this.showSidebar(false)
  }
}

/** Empties the editor, which then ignores what others deploy. Runs in the page. */
function clearFlows(): void {
  RED.nodes.clear()
  RED.nodes.version(null)
  RED.history.clear()
  for (const note of document.querySelectorAll<Notice>('.red-ui-notification')) note.close()
  localStorage.clear()
}

/** Loads flows as the editor does when it starts, and asks for their statuses. Runs in the page. */
async function loadDeployedFlows(): Promise<void> {
  const headers = { Accept: 'application/json', 'Node-RED-API-Version': 'v2' }
  const { rev, flows } = await (await fetch('flows', { headers, cache: 'no-store' })).json()
  // What others have deployed before is told in order. Told later, the editor would take it for a newer deploy.
  const deploys = 'notification/runtime-deploy'
  await new Promise<void>((resolve) => {
    const hear = (_topic: string, { revision }: { revision?: string }) => {
      if (revision !== rev) return
      RED.comms.unsubscribe(deploys, hear)
      resolve()
    }
    RED.comms.subscribe(deploys, hear)
  })
  RED.nodes.version(rev)
  RED.nodes.import(flows)
  RED.nodes.dirty(false)
  RED.view.redraw(true)
  if (RED.workspaces.active() === 0) RED.workspaces.show(RED.nodes.getWorkspaceOrder()[0])
  RED.events.emit('flows:loaded')
  // Node-RED sends the current statuses to each new subscription.
  for (const topic of ['status/#', 'keyholder/status/#']) {
    const ignore = () => {}
    RED.comms.subscribe(topic, ignore)
    RED.comms.unsubscribe(topic, ignore)
  }
}

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openBrowser } from './browser/chromium.ts'
import { Editor, type EditorOptions } from './browser/editor.ts'
import { darkTheme, type Look, nodeFor } from './browser/look.ts'
import { installNodeRed } from './node-red/install-node-red.ts'
import { NodeRedProcess, ownRuntime, type Runtime } from './node-red/node-red-process.ts'
import { install } from './node-red/npm.ts'
import type { FlowNode } from './node-red/recorded-flow.ts'
import {
  fillUserDirectory,
  linkPalette,
  removeDirectory,
  temporaryDirectory,
} from './node-red/user-directory.ts'

/** Setup of an editor. */
export interface EditorSetup extends EditorOptions {
  /** Flows to deploy first; a node can contain its `credentials`. */
  flows?: readonly FlowNode[]
  /** Additional packages for the user directory, for example `@flowfuse/node-red-dashboard`. */
  packages?: readonly string[]
}

const withoutTips = { 'view-show-tips': false }

/**
 * A browser and real Node-RED processes with this palette.
 *
 * ```
 * const harness = await startEditorHarness()
 * const editor = await harness.editor({ nodeRed: '5.0', theme: 'dark' }, { flows, language: 'de-DE' })
 * await editor.page.screenshot({ path: 'editor.png' })
 * await harness.takeBack(editor)
 * await harness.close()
 * ```
 */
export class EditorHarness {
  readonly browser: Browser
  readonly #folder: string
  readonly #runtimes = new Map<string, Promise<Runtime>>()
  readonly #processes = new Map<string, Promise<NodeRedProcess>>()
  /** The open editors, by what they were opened with. */
  readonly #editors = new Map<Editor, string>()
  readonly #unused = new Set<Editor>()

  constructor(browser: Browser, folder: string) {
    this.browser = browser
    this.#folder = folder
  }

  /**
   * Returns the Node-RED for a look. Looks with the same theme and packages share one process, to save time. The first
   * call for 5.0, a dark 4.1 or packages needs the network.
   */
  nodeRed(look: Look, packages: readonly string[] = []): Promise<NodeRedProcess> {
    const isThemed = look.nodeRed === '4.1' && look.theme === 'dark'
    const wanted = [...packages, ...(isThemed ? [darkTheme.package] : [])]
    const name = [look.nodeRed, ...wanted].join(' ').replace(/[^\w.-]+/g, '_')
    const process = this.#processes.get(name) ?? this.#start(look, join(this.#folder, name), wanted, isThemed)
    this.#processes.set(name, process)
    return process
  }

  /** Deploys the flows and opens an editor in this look; give it back after use. */
  async editor(
    look: Look,
    { flows, packages, language = 'en-US', ...options }: EditorSetup = {},
  ): Promise<Editor> {
    const nodeRed = await this.nodeRed(look, packages)
    if (flows !== undefined) {
      // The nodes of other tests have the same IDs. A secret is bound to the address of its node until the node is deleted.
      await nodeRed.deploy([])
      await nodeRed.deploy(flows)
    }
    const url = await nodeRed.url
    // One page is in English; the other languages share another, which is loaded again for each.
    const key = JSON.stringify([url, look, language === 'en-US', options])
    const used = [...this.#unused].find((editor) => this.#editors.get(editor) === key)
    if (used !== undefined) {
      this.#unused.delete(used)
      if (used.language === language) await used.loadFlows()
      else await used.load(url, language)
      return used
    }
    const editor = await Editor.open(this.browser, url, look, { language, ...options })
    this.#editors.set(editor, key)
    return editor
  }

  /** Takes an editor back, for the next one who wants such an editor: its page stays. */
  async takeBack(editor: Editor): Promise<void> {
    await editor.leave()
    this.#unused.add(editor)
  }

  async close(): Promise<void> {
    await this.browser.close()
    const processes = await Promise.allSettled(this.#processes.values())
    await Promise.all(processes.map((one) => one.status === 'fulfilled' && one.value.kill()))
    await removeDirectory(this.#folder)
  }

  async #start(
    look: Look,
    userDir: string,
    packages: readonly string[],
    isThemed: boolean,
  ): Promise<NodeRedProcess> {
    const runtime = await this.runtime(look.nodeRed)
    await mkdir(userDir)
    await fillUserDirectory(userDir, {
      settings: {
        editorTheme: {
          // It would cover the editor.
          tours: false,
          // Requests to the internet are turned off, like telemetry.
          palette: { catalogues: [] },
          // None of our dialogs has a code editor. Node-RED makes one for the description in each dialog: Ace is faster.
          codeEditor: { lib: 'ace' },
          ...(isThemed && darkTheme.settings),
        },
        // Lets flows follow the panel within seconds.
        keyholderPanelPollFloor: 1,
      },
    })
    // A timer changes the tips below the sidebar. In 5.0 it can run before their element exists, which is an error.
    await writeFile(
      join(userDir, '.config.users.json'),
      JSON.stringify({ _: { editor: { view: withoutTips } } }),
    )
    // npm removes packages that it did not install, so the link comes last.
    if (packages.length > 0) await install(userDir, packages, runtime.node)
    await linkPalette(userDir)
    const process = new NodeRedProcess(userDir, runtime)
    await process.url
    return process
  }

  /** Returns a version of Node-RED and the Node.js that runs it; installs them first if they are missing. */
  runtime(version: Look['nodeRed']): Promise<Runtime> {
    const node = nodeFor[version]
    if (node === undefined) return Promise.resolve(ownRuntime)
    const directory = join(this.#folder, 'installed')
    const runtime = this.#runtimes.get(version) ?? installNodeRed(directory, version, node)
    this.#runtimes.set(version, runtime)
    return runtime
  }
}

/**
 * Starts the browser; close the harness after use.
 * @throws NoChromium if no browser is installed
 */
export async function startEditorHarness(): Promise<EditorHarness> {
  return new EditorHarness(await openBrowser(), await temporaryDirectory())
}

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { FlowNode } from '../flow-with-sink.ts'
import { installNodeRed } from '../installed-node-red.ts'
import { NodeRedProcess, ownRuntime, type Runtime } from '../node-red-process.ts'
import { install } from '../npm.ts'
import { fillUserDirectory, linkPalette, removeDirectory, temporaryDirectory } from '../user-directory.ts'
import { openBrowser } from './chromium.ts'
import { Editor, type EditorOptions } from './editor.ts'
import { darkTheme, type Look, nodeFor } from './look.ts'

/** What an editor is opened with. */
export interface Exhibit extends EditorOptions {
  /** What is deployed before; a node may bring its `credentials`. */
  flows?: readonly FlowNode[]
  /** What else is installed into the user directory, for example `@flowfuse/node-red-dashboard`. */
  packages?: readonly string[]
}

const withoutTips = { 'view-show-tips': false }

/**
 * A browser, and real Node-REDs with this palette to be looked at with it.
 *
 * ```
 * const showroom = await Showroom.open()
 * const editor = await showroom.editor({ nodeRed: '5.0', theme: 'dark' }, { flows, language: 'de-DE' })
 * await editor.page.screenshot({ path: 'editor.png' })
 * await showroom.close()
 * ```
 */
export class Showroom {
  readonly browser: Browser
  readonly #folder: string
  readonly #runtimes = new Map<string, Promise<Runtime>>()
  readonly #processes = new Map<string, Promise<NodeRedProcess>>()

  private constructor(browser: Browser, folder: string) {
    this.browser = browser
    this.#folder = folder
  }

  /**
   * Opens one; close it in the end.
   * @throws NoChromium when no browser is installed
   */
  static async open(): Promise<Showroom> {
    return new Showroom(await openBrowser(), await temporaryDirectory())
  }

  /**
   * The Node-RED for a look. One serves all who want the same theme and packages, so that little is waited for; the first
   * who wants 5.0, a dark 4.1 or packages needs the network.
   */
  nodeRed(look: Look, packages: readonly string[] = []): Promise<NodeRedProcess> {
    const isThemed = look.nodeRed === '4.1' && look.theme === 'dark'
    const wanted = [...packages, ...(isThemed ? [darkTheme.package] : [])]
    const name = [look.nodeRed, ...wanted].join(' ').replace(/[^\w.-]+/g, '_')
    const process = this.#processes.get(name) ?? this.#start(look, join(this.#folder, name), wanted, isThemed)
    this.#processes.set(name, process)
    return process
  }

  /** An editor in this look, after its flows were deployed; close it when it is no longer looked at. */
  async editor(look: Look, { flows, packages, ...options }: Exhibit = {}): Promise<Editor> {
    const nodeRed = await this.nodeRed(look, packages)
    if (flows !== undefined) await nodeRed.deploy(flows)
    return Editor.open(this.browser, await nodeRed.url, look, options)
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
    const runtime = await this.#runtime(look.nodeRed)
    await mkdir(userDir)
    await fillUserDirectory(userDir, {
      settings: {
        // The tour would lie over what is looked at. What asks the internet is switched off, like telemetry.
        editorTheme: { tours: false, palette: { catalogues: [] }, ...(isThemed && darkTheme.settings) },
        // So that a flow follows within seconds what happens at a panel.
        keyholderPanelPollFloor: 1,
      },
    })
    // The tips below the sidebar change by a timer, which in 5.0 may run before there is a place for them: an error.
    await writeFile(
      join(userDir, '.config.users.json'),
      JSON.stringify({ _: { editor: { view: withoutTips } } }),
    )
    // npm takes away what it does not know, so the link comes last.
    if (packages.length > 0) await install(userDir, packages, runtime.node)
    await linkPalette(userDir)
    const process = new NodeRedProcess(userDir, runtime)
    await process.url
    return process
  }

  #runtime(version: Look['nodeRed']): Promise<Runtime> {
    const node = nodeFor[version]
    if (node === undefined) return Promise.resolve(ownRuntime)
    const directory = join(this.#folder, 'installed')
    const runtime = this.#runtimes.get(version) ?? installNodeRed(directory, version, node)
    this.#runtimes.set(version, runtime)
    return runtime
  }
}

import assert from 'node:assert/strict'
import type { EditorSetup } from '../editor.ts'
import { harness } from '../mocha/browser.ts'
import { isDeep } from '../mocha/depth.ts'
import type { Editor } from './editor.ts'
import { type Look, looks } from './look.ts'

/** Milliseconds; the first look installs Node-RED and Node. */
const longestInstallation = 240_000

/**
 * Describes tests for every supported Node-RED and theme. Each look has one editor for all tests. A test also fails on any
 * error of the page. The page stays for the tests of other files, with other flows: what else a test changes in it, such as a
 * search or the size of the window, it changes back.
 * @param setup of the editor; a function is called before the tests of a look
 * @param tests gets a function that returns the editor while the tests run
 */
export function inEveryLook(
  title: string,
  setup: EditorSetup | (() => EditorSetup | Promise<EditorSetup>),
  tests: (editor: () => Editor, look: Look) => void,
): void {
  inLooks(looks, title, setup, tests)
}

/** Describes tests of what a Node-RED draws, apart from its colors: for every Node-RED, in one theme. */
export function inEveryNodeRed(...[title, setup, tests]: Parameters<typeof inEveryLook>): void {
  const chosen = looks.filter(({ theme }) => theme === 'light')
  inLooks(chosen, title, setup, tests)
}

/**
 * Describes tests of what our pages do, or show alike in each Node-RED: for the newest one, in one theme; in the deep suite
 * for every Node-RED.
 */
export function inNewestNodeRed(...[title, setup, tests]: Parameters<typeof inEveryLook>): void {
  const chosen = looks.filter(({ nodeRed, theme }) => theme === 'light' && (isDeep || nodeRed === '5.0'))
  inLooks(chosen, title, setup, tests)
}

function inLooks(chosen: readonly Look[], ...[title, setup, tests]: Parameters<typeof inEveryLook>): void {
  describe(title, () => {
    for (const look of chosen) {
      describe(`in Node-RED ${look.nodeRed}, ${look.theme}`, () => {
        let editor: Editor | undefined

        before(async function () {
          this.timeout(longestInstallation)
          const wanted = typeof setup === 'function' ? await setup() : setup
          editor = await (await harness()).editor(look, { sidebar: false, ...wanted })
        })
        afterEach(async function () {
          const complaints = editor?.complaints.splice(0)
          // Otherwise, dialogs and changes of a failed test would fail the next one too.
          if (this.currentTest?.state === 'failed') await editor?.reload()
          else await editor?.closeDialogs()
          assert.deepEqual(complaints, [])
        })
        after(async () => editor && (await harness()).takeBack(editor))

        tests(() => {
          assert.ok(editor)
          return editor
        }, look)
      })
    }
  })
}

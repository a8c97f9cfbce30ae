import assert from 'node:assert/strict'
import type { Editor } from './editor.ts'
import { type Look, looks } from './look.ts'
import { showroom } from './run.ts'
import type { Exhibit } from './showroom.ts'

/** The first look has Node-RED and Node installed. */
const longestInstallation = 240_000

/**
 * Describes what holds in an editor, in every Node-RED and theme that we promise. Each look has one editor for all the tests,
 * and each test fails also on anything the page complained of meanwhile.
 * @param exhibit what the editor is opened with; a function is called when it comes to that look
 * @param tests is given what tells the editor, once the tests run
 */
export function inEveryLook(
  title: string,
  exhibit: Exhibit | (() => Exhibit | Promise<Exhibit>),
  tests: (editor: () => Editor, look: Look) => void,
): void {
  inLooks(looks, title, exhibit, tests)
}

/** The same for what does not depend on colours: in every Node-RED, in one theme. */
export function inEveryNodeRed(...[title, exhibit, tests]: Parameters<typeof inEveryLook>): void {
  const chosen = looks.filter(({ theme }) => theme === 'light')
  inLooks(chosen, title, exhibit, tests)
}

function inLooks(chosen: readonly Look[], ...[title, exhibit, tests]: Parameters<typeof inEveryLook>): void {
  describe(title, () => {
    for (const look of chosen) {
      describe(`in Node-RED ${look.nodeRed}, ${look.theme}`, () => {
        let editor: Editor | undefined

        before(async function () {
          this.timeout(longestInstallation)
          const wanted = typeof exhibit === 'function' ? await exhibit() : exhibit
          editor = await (await showroom()).editor(look, wanted)
        })
        afterEach(async function () {
          const complaints = editor?.complaints.splice(0)
          // What a test left open or changed when it failed would fail the next one too.
          if (this.currentTest?.state === 'failed') await editor?.reload()
          else await editor?.closeDialogs()
          assert.deepEqual(complaints, [])
        })
        after(() => editor?.close())

        tests(() => {
          assert.ok(editor)
          return editor
        }, look)
      })
    }
  })
}

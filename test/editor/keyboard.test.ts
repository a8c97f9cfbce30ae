import assert from 'node:assert/strict'
import type { Dialog } from '../../harness/browser/dialogs/dialog.ts'
import { dialogTypes, tourFlows, visit } from '../../harness/browser/dialogs/dialog-tour.ts'
import { inEveryNodeRed } from '../../harness/browser/in-every-look.ts'

/** Elements that a user operates, without Node-RED's own links next to the selection of a config node. */
const operable =
  ':is(input, select, textarea, button, summary, a[href^="https:"]):not([id^="red-ui-trap"]):visible'

inEveryNodeRed('The dialog', { flows: tourFlows }, (editor) => {
  for (const type of dialogTypes) {
    it(`of ${type} names each field and button, and Tab visits them in reading order`, () =>
      visit(editor(), type, async (dialog) => {
        assert.deepEqual(await namelessOf(dialog), [])
        const places = await placesOf(dialog)
        assert.ok(places.length > 1)
        await dialog.form.locator(operable).first().focus()
        const reached = [await focused(dialog)]
        while (reached.length < places.length) {
          await editor().page.keyboard.press('Tab')
          reached.push(await focused(dialog))
        }
        assert.deepEqual(reached, places)
      }))
  }
})

/** Returns the HTML of our fields and buttons without a label, text or attribute that names them. */
function namelessOf(dialog: Dialog): Promise<string[]> {
  return dialog.form.locator(operable).evaluateAll((elements) =>
    (elements as HTMLInputElement[])
      .filter((element) => {
        const by = element.getAttribute('aria-labelledby')
        const named = by ? document.getElementById(by) : undefined
        const labels = [...(element.labels ?? []), ...(named ? [named] : [])].map((label) => label.innerText)
        const own = element.matches('button, summary, a') ? element.innerText : ''
        return ![...labels, own, element.ariaLabel ?? ''].some((text) => text.trim())
      })
      .map(({ outerHTML }) => outerHTML),
  )
}

/** Returns the HTML of our fields and buttons in document order. */
function placesOf(dialog: Dialog): Promise<string[]> {
  return dialog.form.locator(operable).evaluateAll((elements) => elements.map(({ outerHTML }) => outerHTML))
}

/** Returns the HTML of the focused element. */
function focused(dialog: Dialog): Promise<string> {
  return dialog.form.evaluate(() => document.activeElement?.outerHTML ?? '')
}

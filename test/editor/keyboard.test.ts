import assert from 'node:assert/strict'
import type { Dialog } from '../support/browser/dialog.ts'
import { dialogTypes, tourFlows, visit } from '../support/browser/dialog-tour.ts'
import { inEveryNodeRed } from '../support/browser/in-every-look.ts'

/** What one can do something with; Node-RED's own links beside the choice of a config node are its own affair. */
const operable = ':is(input, select, textarea, button, summary):not([id^="red-ui-trap"]):visible'

inEveryNodeRed('The dialog', { flows: tourFlows }, (editor) => {
  for (const type of dialogTypes) {
    it(`of ${type} has a name at each field and button, and Tab leads through them as they are read`, () =>
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

/** Our fields and buttons that no label, text or attribute names, each by its HTML. */
function namelessOf(dialog: Dialog): Promise<string[]> {
  return dialog.form.locator(operable).evaluateAll((elements) =>
    (elements as HTMLInputElement[])
      .filter((element) => {
        const by = element.getAttribute('aria-labelledby')
        const named = by ? document.getElementById(by) : undefined
        const labels = [...(element.labels ?? []), ...(named ? [named] : [])].map((label) => label.innerText)
        const own = element.matches('button, summary') ? element.innerText : ''
        return ![...labels, own, element.ariaLabel ?? ''].some((text) => text.trim())
      })
      .map(({ outerHTML }) => outerHTML),
  )
}

/** Our fields and buttons in the order of the document, each by its HTML. */
function placesOf(dialog: Dialog): Promise<string[]> {
  return dialog.form.locator(operable).evaluateAll((elements) => elements.map(({ outerHTML }) => outerHTML))
}

/** Where the focus is. */
function focused(dialog: Dialog): Promise<string> {
  return dialog.form.evaluate(() => document.activeElement?.outerHTML ?? '')
}

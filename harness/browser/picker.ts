import type { Locator } from 'playwright-core'
import type { Dialog } from './dialogs/dialog.ts'

/** The picker below a list field: a tree of the choices. */
export class Picker {
  /** The whole picker: the tree and its messages. */
  readonly place: Locator
  readonly tree: Locator

  private constructor(dialog: Dialog, list: string) {
    this.place = dialog.form.locator(`#keyholder-${list}-choices`)
    this.tree = this.place.getByRole('tree')
  }

  /** Clicks the button next to a list field. */
  static async open(dialog: Dialog, list: string): Promise<Picker> {
    await dialog.form.locator(`#keyholder-${list}-choose`).click()
    return Picker.of(dialog, list)
  }

  /** Returns the picker of a list field, open or not. */
  static of(dialog: Dialog, list: string): Picker {
    return new Picker(dialog, list)
  }

  /** Returns an item with a checkbox, by a pattern of its text. */
  leaf(text: string): Locator {
    return this.tree.locator('[role="treeitem"][aria-checked]').filter({ hasText: new RegExp(text, 'i') })
  }

  /** Returns an item with children, by its text. */
  branch(text: string): Locator {
    return this.tree.locator('[role="treeitem"][aria-expanded]').filter({ hasText: text })
  }

  /** Waits until an item is ticked or not. */
  ticked(text: string, isTicked: boolean): Promise<void> {
    const state = this.tree.locator(`[aria-checked="${isTicked}"]`)
    return this.leaf(text).and(state).waitFor()
  }

  /** Types into the search field of the tree. */
  search(text: string): Promise<void> {
    return this.place.locator('input[type="text"]').pressSequentially(text)
  }
}

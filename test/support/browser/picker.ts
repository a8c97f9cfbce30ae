import type { Locator } from 'playwright-core'
import type { Dialog } from './dialog.ts'

/** What a dialog shows below the field of a list: a tree of what there is to choose from. */
export class Picker {
  /** All of it: the tree, and what is said about it. */
  readonly place: Locator
  readonly tree: Locator

  private constructor(dialog: Dialog, list: string) {
    this.place = dialog.form.locator(`#keyholder-${list}-choices`)
    this.tree = this.place.getByRole('tree')
  }

  /** Presses the button beside the field of a list. */
  static async open(dialog: Dialog, list: string): Promise<Picker> {
    await dialog.form.locator(`#keyholder-${list}-choose`).click()
    return new Picker(dialog, list)
  }

  /** What can be ticked, by a pattern for what stands there. */
  leaf(text: string): Locator {
    return this.tree.locator('[role="treeitem"][aria-checked]').filter({ hasText: new RegExp(text, 'i') })
  }

  /** What holds others, by what stands there. */
  branch(text: string): Locator {
    return this.tree.locator('[role="treeitem"][aria-expanded]').filter({ hasText: text })
  }

  /** Waits until a leaf is ticked, or is not. */
  ticked(text: string, isTicked: boolean): Promise<void> {
    const state = this.tree.locator(`[aria-checked="${isTicked}"]`)
    return this.leaf(text).and(state).waitFor()
  }

  /** Types into the field that searches the tree. */
  search(text: string): Promise<void> {
    return this.place.locator('input[type="text"]').pressSequentially(text)
  }
}

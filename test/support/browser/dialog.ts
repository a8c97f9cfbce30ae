import type { Locator, Page } from 'playwright-core'

/** What a control of a dialog holds: a box whether it is ticked, a group of boxes the values of those that are. */
export type Value = string | boolean | readonly string[]

/** What a dialog holds, by the names of its controls. */
export type Values = Record<string, Value>

/** Node-RED hides fields of its own in a form, which catch what browsers fill in by themselves. */
const controls = ':is(input, select, textarea):not([id^="red-ui-trap"], [readonly]):visible'
/** Buttons that work, and pickers beside lists, come with modules of ours that are loaded by themselves. */
const lists = ['partitions', 'devices', 'labels', 'typeIds', 'options'].map((name) => `${name}-list`)
const listed = [...lists, 'partition', 'zone'].map((name) => `#node-input-${name}`)
const notYetThere = `:is(${listed}):not(.keyholder-listed), button:disabled`
const ownControl = /^node-(?:config-)?input-/

/** An open dialog of a node. The names of its controls are their ids, without what Node-RED puts before a field. */
export class Dialog {
  /** All of it, with its buttons. */
  readonly tray: Locator
  /** The fields alone. */
  readonly form: Locator
  readonly #page: Page
  readonly #depth: number

  private constructor(page: Page, depth: number) {
    this.#page = page
    this.#depth = depth
    // Node-RED takes away what lies below and tells it in the title alone.
    this.tray = page.locator(`.red-ui-tray:has(.red-ui-tray-breadcrumbs > li:nth-child(${depth}):last-child)`)
    this.form = this.tray.locator('form.form-horizontal:visible').first()
  }

  /** The dialog that a page opens, once it can be used. */
  static async opening(page: Page, depth = 1): Promise<Dialog> {
    const dialog = new Dialog(page, depth)
    await dialog.form.waitFor()
    // The last thing that Node-RED does; before, it would take the focus away again.
    await dialog.tray.locator(':focus').waitFor({ state: 'attached' })
    await dialog.form.locator(notYetThere).first().waitFor({ state: 'detached' })
    return dialog
  }

  /** The dialog that lies on top, if there is one. */
  static async top(page: Page): Promise<Dialog | undefined> {
    const depth = await page.locator('.red-ui-tray-breadcrumbs > li').count()
    return depth > 0 ? new Dialog(page, depth) : undefined
  }

  /** A control by its name. */
  control(name: string): Locator {
    return this.form.locator(`[id="node-input-${name}"], [id="node-config-input-${name}"]`)
  }

  /** Opens what is folded. */
  async unfold(): Promise<void> {
    for (const summary of await this.form.locator('details:not([open]) > summary').all()) {
      if (await summary.isVisible()) await summary.click()
    }
  }

  /** Fills controls in, in the order given, as a user does. */
  async fill(values: Values): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const control = this.control(name)
      // One field may bring others into sight, and some of them folded.
      if (!(await control.isVisible())) await this.unfold()
      await this.#fill(control, value)
    }
  }

  /** What all visible controls hold that can be changed. */
  async values(): Promise<Values> {
    await this.unfold()
    const found = await this.form.locator(controls).evaluateAll((elements) =>
      (elements as HTMLInputElement[]).map((element) => {
        const isBox = element.type === 'checkbox'
        const group = element.id === '' ? element.closest('[role=group]')?.id : undefined
        return {
          id: element.id,
          group,
          value: isBox && !group ? element.checked : element.value,
          on: element.checked,
        }
      }),
    )
    const values: Record<string, string | boolean | string[]> = {}
    for (const { id, group, value, on } of found) {
      if (group === undefined) values[id.replace(ownControl, '')] = value
      else {
        const name = group.replace(ownControl, '')
        const ticked = (values[name] ?? []) as string[]
        values[name] = on ? [...ticked, String(value)] : ticked
      }
    }
    return values
  }

  /** Opens the dialog of the config node that a field has chosen. */
  async edit(field: string): Promise<Dialog> {
    return this.#over(this.form.locator(`[id$="-btn-${field}-edit"]`))
  }

  /** Opens the dialog of a new config node for a field. */
  async add(field: string): Promise<Dialog> {
    return this.#over(this.form.locator(`[id$="-btn-${field}-add"]`))
  }

  /** Saves it; the answer is the dialog that lay below. */
  async save(): Promise<Dialog | undefined> {
    return this.#leave('ok')
  }

  /** Closes it without saving; the answer is the dialog that lay below. */
  async cancel(): Promise<Dialog | undefined> {
    return this.#leave('cancel')
  }

  async #over(button: Locator): Promise<Dialog> {
    await button.click()
    return Dialog.opening(this.#page, this.#depth + 1)
  }

  async #leave(how: 'ok' | 'cancel'): Promise<Dialog | undefined> {
    await this.tray.locator(`[id$="dialog-${how}"]`).click()
    // What lies below is usable only when this one is gone.
    await this.tray.waitFor({ state: 'detached' })
    if (this.#depth === 1) return undefined
    const below = new Dialog(this.#page, this.#depth - 1)
    await below.form.waitFor()
    return below
  }

  async #fill(control: Locator, value: Value): Promise<void> {
    if (typeof value === 'boolean') await control.setChecked(value)
    else if (typeof value !== 'string') {
      for (const box of await control.locator('input').all()) {
        await box.setChecked(value.includes(await box.inputValue()))
      }
    } else if (await control.evaluate((element: { tagName: string }) => element.tagName === 'SELECT')) {
      await control.selectOption(value)
    } else await control.fill(value)
  }
}

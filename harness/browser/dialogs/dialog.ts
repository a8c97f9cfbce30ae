import type { Locator, Page } from 'playwright-core'

/**
 * Value of a control: text, a boolean for a checkbox, or the selected values of a group of checkboxes. The text of a
 * TypedInput whose value is not fixed begins with its type: `msg:mode`.
 */
export type Value = string | boolean | readonly string[]

/** Values of a dialog, by the names of its controls. */
export type Values = Record<string, Value>

/**
 * Selector of editable controls of the node, without Node-RED's hidden fields against autofill and the choice of a rehearsal; a
 * TypedInput as a whole.
 */
const [typedInput, itsText] = ['.red-ui-typedInput-container', '.red-ui-typedInput-input']
const fields = `:is(input, select, textarea):not([id^="red-ui-trap"], [id^="keyholder-panel-"], [readonly], ${itsText})`
const controls = `:is(${fields}, ${typedInput}):visible`
/** Selector of parts that are not ready until our modules are loaded: list fields without picker, disabled buttons. */
const lists = ['partitions', 'devices', 'labels', 'typeIds', 'options'].map((name) => `${name}-list`)
const listed = lists.map((name) => `#node-input-${name}`)
const notYetThere = `:is(${listed}):not(.keyholder-listed), ${itsText}:not([id]), button:disabled`
const typed = /^(?:(msg|flow|global|env|jsonata):)?(.*)$/
const ownControl = /^node-(?:config-)?input-/

/** Returns the selector of the dialog above others: Node-RED removes those below; only the breadcrumbs show them. */
const trayAt = (depth: number) =>
  `.red-ui-tray:has(.red-ui-tray-breadcrumbs > li:nth-child(${depth}):last-child)`

/** An open dialog of a node. The names of its controls are their IDs without Node-RED's prefix. */
export class Dialog {
  /** The whole dialog, with its buttons. */
  readonly tray: Locator
  /** The fields only. */
  readonly form: Locator
  readonly #page: Page
  readonly #depth: number

  private constructor(page: Page, depth: number) {
    this.#page = page
    this.#depth = depth
    this.tray = page.locator(trayAt(depth))
    this.form = this.tray.locator('form.form-horizontal:visible').first()
  }

  /** Returns the dialog that the page is opening, as soon as it is ready. */
  static async opening(page: Page, depth = 1): Promise<Dialog> {
    // One question to the page: this takes a good part of the time of all tests.
    await page.waitForFunction(
      ([tray, notYetThere]) => {
        const open = document.querySelector(tray)
        const forms = [...(open?.querySelectorAll('form.form-horizontal') ?? [])]
        const form = forms.find((it) => it.checkVisibility({ visibilityProperty: true }))
        // Node-RED's last step is the focus; before it, Node-RED would move the focus again.
        return form !== undefined && open?.querySelector(':focus') && !form.querySelector(notYetThere)
      },
      [trayAt(depth), notYetThere] as const,
    )
    return new Dialog(page, depth)
  }

  /** Returns the top dialog, or nothing if none is open. */
  static async top(page: Page): Promise<Dialog | undefined> {
    const depth = await page.locator('.red-ui-tray-breadcrumbs > li').count()
    return depth > 0 ? new Dialog(page, depth) : undefined
  }

  /** Returns a control by its name, of a TypedInput the text field. */
  control(name: string): Locator {
    const ids = [`node-input-${name}`, `node-config-input-${name}`].map((id) => `[id="${id}"]`)
    return this.form.locator(`:is(${ids}):not(.red-ui-typedInput), [id="node-input-${name}-text"]`)
  }

  /** Returns a TypedInput by its name. */
  typedInput(name: string): Locator {
    return this.form.locator(`[id="node-input-${name}"] + ${typedInput}`)
  }

  /** Opens collapsed sections. */
  async unfold(): Promise<void> {
    // An opened one is no longer among them.
    const folded = this.form.locator('details:not([open]) > summary:visible')
    while ((await folded.count()) > 0) await folded.first().click()
  }

  /** Fills in controls in the given order, like a user. */
  async fill(values: Values): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const { isTyped, isSelect, isVisible } = await this.#kindOf(name)
      if (isTyped) {
        await this.#fillTyped(this.typedInput(name), String(value))
        continue
      }
      const control = this.control(name)
      // A value can show other fields, some of them, or some choices of a list, in a collapsed section.
      if (!isVisible || Array.isArray(value)) await this.unfold()
      if (isSelect) await control.selectOption(String(value))
      else await this.#fill(control, value)
    }
  }

  /** Returns the values of all visible, editable controls. */
  async values(): Promise<Values> {
    await this.unfold()
    const found = await this.form.locator(controls).evaluateAll((elements) =>
      (elements as HTMLInputElement[]).map((element) => {
        const field = element.previousElementSibling as HTMLInputElement | null
        if (element.matches('.red-ui-typedInput-container') && field !== null) {
          const type = (document.getElementById(`${field.id}Type`) as HTMLInputElement | null)?.value
          const value = type === 'fixed' ? field.value : `${type}:${field.value}`
          return { id: field.id, group: undefined, value, on: false }
        }
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

  /** Opens the dialog of the config node selected in a field. */
  async edit(field: string): Promise<Dialog> {
    return this.#over(this.form.locator(`[id$="-btn-${field}-edit"]`))
  }

  /** Opens the dialog of a new config node for a field. */
  async add(field: string): Promise<Dialog> {
    return this.#over(this.form.locator(`[id$="-btn-${field}-add"]`))
  }

  /** Saves the dialog; returns the one below. */
  async save(): Promise<Dialog | undefined> {
    return this.#leave('ok')
  }

  /** Closes the dialog without saving; returns the one below. */
  async cancel(): Promise<Dialog | undefined> {
    return this.#leave('cancel')
  }

  async #over(button: Locator): Promise<Dialog> {
    await button.click()
    const opened = await Dialog.opening(this.#page, this.#depth + 1)
    // A button of the opened dialog may be there now, whose tooltip would cover the one below it.
    await this.#page.mouse.move(0, 0)
    return opened
  }

  async #leave(how: 'ok' | 'cancel'): Promise<Dialog | undefined> {
    const button = this.tray.locator(`[id$="dialog-${how}"]`)
    await button.click()
    // The dialog below is usable only when this one is gone. The editor ignores a click while it still moves the
    // dialogs; a person would click again.
    for (let clicks = 1; !(await this.#isGone()) && clicks < 5; clicks += 1) {
      await button.click({ timeout: 5_000 }).catch(() => {})
    }
    await this.tray.waitFor({ state: 'detached' })
    if (this.#depth === 1) return undefined
    const below = new Dialog(this.#page, this.#depth - 1)
    await below.form.waitFor()
    return below
  }

  async #isGone(): Promise<boolean> {
    return this.tray.waitFor({ state: 'detached', timeout: 5_000 }).then(
      () => true,
      () => false,
    )
  }

  /** Returns how a control is filled in; asked at once, because each question to the page takes time. */
  #kindOf(name: string): Promise<{ isTyped: boolean; isSelect: boolean; isVisible: boolean }> {
    return this.form.evaluate((form, name) => {
      const control = form.querySelector(`[id="node-input-${name}"], [id="node-config-input-${name}"]`)
      return {
        isTyped: control?.nextElementSibling?.matches('.red-ui-typedInput-container') ?? false,
        isSelect: control?.tagName === 'SELECT',
        isVisible: control?.checkVisibility({ visibilityProperty: true }) ?? false,
      }
    }, name)
  }

  async #fillTyped(box: Locator, value: string): Promise<void> {
    const [, type = 'fixed', text = ''] = typed.exec(value) ?? []
    const pick = async (button: Locator, word: string) => {
      await button.click()
      await this.#page.locator(`.red-ui-typedInput-options:visible > a[value="${word}"]`).click()
    }
    await pick(box.locator('.red-ui-typedInput-type-select'), type)
    const control = box.locator(itsText)
    if (!(await control.isVisible())) return pick(box.locator('.red-ui-typedInput-option-trigger'), text)
    await control.fill(text)
    // Node-RED takes the text when a key is released.
    await control.press('Shift')
  }

  async #fill(control: Locator, value: Value): Promise<void> {
    if (typeof value === 'boolean') await control.setChecked(value)
    else if (typeof value !== 'string') {
      const boxes = control.locator('input[type=checkbox]')
      const states = await boxes.evaluateAll((all) =>
        (all as HTMLInputElement[]).map(({ value, checked }) => ({ value, checked })),
      )
      for (const [index, { value: one, checked }] of states.entries())
        if (checked !== value.includes(one)) await boxes.nth(index).setChecked(!checked)
    } else await control.fill(value)
  }
}

import { createPanelText } from './diagnostics/check-finding.mjs'
import { noteOf } from './stored-for.mjs'

const texts = '@keyholder/node-red-alarm-panel/keyholder:account.panels'

/**
 * Returns the panel nodes of an account by serial number.
 * @param except ID of a panel node that does not count
 */
function findUsed(account, except) {
  const used = new Map()
  RED.nodes.eachConfig((node) => {
    if (node.type === 'keyholder-panel' && node.account === account && node.id !== except)
      used.set(node.serial, node)
  })
  return used
}

/** Returns a list of panels as buttons, of which one can be pressed. What other panel nodes use is marked. */
export function createPanelButtons(panels, account, own, chosen, choose) {
  const used = findUsed(account, own)
  const buttons = panels.map((panel) => {
    const mark = used.has(panel.serial) ? RED._(`${texts}.used`) : ''
    return $('<button type="button" class="red-ui-button">')
      .append(createPanelText(panel, mark))
      .on('click', () => {
        choose(panel)
        show()
      })
  })
  const show = () => {
    for (const [index, button] of buttons.entries())
      button.attr('aria-pressed', String(panels[index].serial === chosen()))
  }
  show()
  return $('<ul>').append(buttons.map((button) => $('<li>').append(button)))
}

/** A table of the panels of an account, in which each can be ticked and gets its user code. */
export class PanelTable {
  #account
  #needsCodes = true
  /** The rows that can be ticked. */
  #rows = []
  #status = $()

  /** @param account ID of the account, saved or not */
  constructor(account) {
    this.#account = account
  }

  /** Returns the table; what was entered into an earlier one stays. */
  create(panels, needsCodes) {
    const before = this.#rows
    const used = findUsed(this.#account)
    this.#needsCodes = needsCodes
    this.#rows = []
    // A panel node may have its serial number from an environment variable, and use this panel already.
    const isSole = panels.length === 1 && used.size === 0
    const rows = panels.map((panel, index) => {
      // A demo panel without a serial number is the first one.
      const node = used.get(panel.serial) ?? (needsCodes || index > 0 ? undefined : used.get(''))
      const mark = node ? RED._(`${texts}.used`) : ''
      const text = $('<td>').append(createPanelText(panel, mark))
      if (node) return $('<tr>').append('<td>', text)
      const row = this.#createRow(panel)
      const known = before.find((one) => one.panel.serial === panel.serial)
      row.code.val(known?.code.val() ?? '')
      row.tick.prop('checked', known?.tick.prop('checked') ?? isSole)
      this.#rows.push(row)
      return $('<tr>').append($('<td>').append(row.tick), text, needsCodes ? $('<td>').append(row.code) : '')
    })
    const head = [RED._(`${texts}.add`), RED._(`${texts}.panel`)]
    if (needsCodes) head.push(RED._(`${texts}.code`))
    const headings = head.map((text) => $('<th scope="col">').text(text))
    const table = $('<table class="keyholder-panels">').append(
      $('<thead>').append($('<tr>').append(headings)),
      $('<tbody>').append(rows),
    )
    this.#status = $('<p role="status">')
    this.#showStatus()
    return $('<div>').append(
      // Above the table, which may be longer than the dialog.
      this.#createButton(),
      $('<div class="keyholder-scroll">').append(table),
      this.#status,
    )
  }

  /**
   * Adds a panel node for each ticked row, if the account was saved.
   * @param fill fills in the dialog of a new panel, which then gets the first row; false if it does not
   */
  addPanels(fill) {
    const account = RED.nodes.node(this.#account)
    const ticked = this.#rows.filter(({ tick }) => tick.prop('checked'))
    if (!account || ticked.length === 0) return
    const [first] = ticked
    const others = fill?.(first.panel, first.code.val()) ? ticked.slice(1) : ticked
    if (others.length === 0) return
    const dirty = RED.nodes.dirty()
    const nodes = others.map(({ panel, code }) => addPanel(account, panel, code.val()))
    RED.history.push({ t: 'add', nodes: nodes.map(({ id }) => id), dirty })
    RED.nodes.dirty(true)
    RED.view.redraw(true)
  }

  #createRow(panel) {
    const name = { panel: panel.alias || panel.serial }
    const tick = $('<input type="checkbox">').attr('aria-label', RED._(`${texts}.addOne`, name))
    const code = $('<input type="password" autocomplete="off">').attr(
      'aria-label',
      RED._(`${texts}.codeOf`, name),
    )
    const row = { panel, tick, code }
    tick.on('change', () => this.#showStatus())
    code.on('input', () => {
      tick.prop('checked', code.val() !== '')
      this.#showStatus()
    })
    code.on('paste', ({ originalEvent }) => {
      const codes = originalEvent.clipboardData.getData('text').trim().split(/\s+/)
      if (codes.length < 2) return
      originalEvent.preventDefault()
      // A column of a spreadsheet: one code for each row from here.
      const from = this.#rows.indexOf(row)
      for (const [index, text] of codes.entries()) this.#rows[from + index]?.code.val(text).trigger('input')
    })
    return row
  }

  #createButton() {
    return $('<button type="button" class="red-ui-button">')
      .text(RED._(`${texts}.addAll`))
      .prop('disabled', this.#rows.length === 0)
      .on('click', () => {
        for (const { tick } of this.#rows) tick.prop('checked', true)
        this.#showStatus()
        if (this.#needsCodes) this.#rows.find(({ code }) => code.val() === '')?.code.trigger('focus')
      })
  }

  #showStatus() {
    const ticked = this.#rows.filter(({ tick }) => tick.prop('checked'))
    const open = this.#needsCodes ? ticked.filter(({ code }) => code.val() === '') : []
    const button = $('#node-config-dialog-ok').text().trim()
    const sentences = [
      this.#needsCodes && ticked.length === 0 && this.#rows.length > 1 && RED._(`${texts}.paste`),
      ticked.length > 0 && RED._(`${texts}.chosen`, { number: ticked.length, button }),
      open.length > 0 && RED._(`${texts}.withoutCode`, { number: open.length }),
    ]
    this.#status.text(sentences.filter(Boolean).join(' '))
  }
}

/** Adds a panel node to the editor as its dialog would. */
function addPanel(account, { alias, serial }, userCode) {
  const type = 'keyholder-panel'
  const definition = RED.nodes.getType(type)
  const defaults = Object.entries(definition.defaults).map(([name, { value }]) => [name, value])
  const storedFor = noteOf(userCode, { account: account.id })
  const node = RED.nodes.add({
    ...Object.fromEntries(defaults),
    id: RED.nodes.id(),
    _def: definition,
    type,
    z: account.z,
    users: [],
    name: alias,
    account: account.id,
    serial,
    credentials: { userCode, has_userCode: userCode !== '', storedFor, has_storedFor: storedFor !== '' },
    changed: true,
  })
  RED.editor.validateNode(node)
  return node
}

import { bindConsoleButton } from './demo-console.mjs'
import { bindCheckButton } from './diagnostics/connection-check.mjs'
import { bindTraceButtons } from './diagnostics/trace-recording.mjs'
import { markFields } from './field-marks.mjs'
import { createPanelButtons, PanelTable } from './found-panels.mjs'
import { announceReports, bindRehearsal } from './rehearsal.mjs'
import { addRehearseButtons } from './rehearse-button.mjs'
import { bindNote } from './stored-for.mjs'
import { readAccountForm } from './unsaved-form.mjs'

announceReports()
addRehearseButtons()

/** Functions that fill in the open dialogs of new panels, by the ID of the node. */
const openPanels = new Map()

/**
 * Adds to the account dialog of a node the check of its unsaved values with a table of its panels, and the way to the console of
 * its demo.
 * @returns a function that adds the panels ticked in the table, once the account is saved
 */
export function setUpAccountDialog(node, checkButton, consoleButton) {
  bindNote('password', ['url'])
  const table = new PanelTable(node.id)
  bindConsoleButton(consoleButton, node.id, $('#keyholder-account-console-problem'))
  bindCheckButton(checkButton, () => {
    const form = readOpenForm(node, ['email', 'password'])
    const showPanels = (panels) => table.create(panels, form.source !== 'demo')
    return { kind: 'account', id: node.id, form, list: $('#keyholder-account-findings'), showPanels }
  })
  // The dialog of a new panel below this one gets the first panel.
  const below = openPanels.get(RED.editor.getEditStack().at(-2)?.id)
  return () => table.addPanels(below)
}

/** Adds to the cluster dialog of a node the check of its unsaved values. */
export function setUpClusterDialog(node, checkButton) {
  bindNote('password', ['address', 'master'])
  bindCheckButton(checkButton, () => {
    const form = readOpenForm(node, ['username', 'password'])
    return { kind: 'cluster', id: node.id, form, list: $('#keyholder-cluster-findings') }
  })
}

/** Returns the values of the open dialog of a config node. */
function readOpenForm(node, secrets) {
  const fields = Object.keys(node._def.defaults).concat(secrets)
  const read = (field) => {
    const value = $(`#node-config-input-${field}`).val()
    // How the editor shows that no config node is selected.
    return value === '_ADD_' ? '' : value
  }
  return Object.fromEntries(fields.map((field) => [field, read(field)]))
}

/** Adds to the panel dialog of a node the list of panels, the check of the user code, the diagnostics and the trace. */
export function setUpPanelDialog(node, chooseButton, codeButton, diagnosticsButton) {
  bindNote('userCode', ['account'])
  const serial = $('#node-config-input-serial')
  const name = $('#node-config-input-name')
  // What the latest choice filled in. A name that somebody typed stays, and one that somebody cleared stays empty.
  let alias = ''
  name.on('input', () => {
    alias = undefined
  })
  const choose = (panel) => {
    serial.val(panel.serial).trigger('change')
    if (name.val() !== alias) return
    alias = panel.alias
    name.val(alias).trigger('change')
  }
  bindCheckButton(chooseButton, () => {
    const list = $('#keyholder-panel-choice')
    const form = readChosenAccount(list, chooseButton)
    const showPanels = (panels) => createPanelButtons(panels, form.id, node.id, () => serial.val(), choose)
    return form && { kind: 'account', id: form.id, form, list, showPanels, goal: 'panels' }
  })
  const code = $('#node-config-input-userCode')
  if (!RED.nodes.node(node.id)) {
    // False if the dialog has a panel already.
    openPanels.set(node.id, (panel, userCode) => {
      if (serial.val() !== '') return false
      choose(panel)
      code.val(userCode).trigger('change')
      return true
    })
    serial.on('remove', () => openPanels.delete(node.id))
  }
  const readForm = (list, button) => ({
    account: readChosenAccount(list, button),
    serial: serial.val(),
    userCode: code.val(),
  })
  bindCheckButton(codeButton, () => {
    const list = $('#keyholder-panel-findings')
    const form = readForm(list, codeButton)
    return form.account && { kind: 'panel', id: node.id, form, list, goal: 'userCode' }
  })
  bindTraceButtons(node.id)
  bindRehearsal(node.id)
  bindCheckButton(diagnosticsButton, () => {
    const list = $('#keyholder-panel-progress')
    const form = readForm(list, diagnosticsButton)
    const preview = $('#keyholder-panel-file')
    return form.account && { kind: 'panel', id: node.id, form, list, route: 'diagnostics', preview }
  })
}

/**
 * Returns the account as it is in the editor, deployed or not; without one, shows a hint in the list and marks the field.
 */
function readChosenAccount(list, button) {
  const form = readAccountForm($('#node-config-input-account').val())
  if (form) return form
  const hint = RED._('@keyholder/node-red-alarm-panel/keyholder:panel.tip.noAccount')
  const text = $('<li>')
    .attr('id', `${list.attr('id')}-failure`)
    .text(hint)
  list.empty().append(text)
  markFields(['account'], text, button)
}

/**
 * The requests of a typical day for each resource that is polled at the panel's own pace, and the mean of the seconds until an
 * alarm is seen. They follow from the paces in src/panel/polling/pace.ts, which the editor cannot load; a test compares them.
 */
const paceOfDay = {
  requests: { state: 6636, alarms: 5534, events: 666, devices: 775 },
  alarmAfter: 8,
}

/** Shows in `line` what the intervals in the dialog of a panel result in, and again when one is changed. */
export function showPace(line, isDemo) {
  const fields = ['state', 'events', 'devices'].map((part) => $(`#node-config-input-${part}Every`))
  const account = $('#node-config-input-account')
  const show = () => {
    const { requests, alarmAfter } = paceOfDay
    const [state, events, devices] = fields.map((field) => field.val().trim())
    const day = 24 * 60 * 60
    const counts = [
      // The state is made of two answers.
      state === '' ? requests.state + requests.alarms : (2 * day) / state,
      events === '' ? requests.events : day / events,
      devices === '' ? requests.devices : day / devices,
    ]
    const total = counts.reduce((sum, count) => sum + count, 0)
    const alarm = Math.round(state === '' ? alarmAfter : state / 2)
    // An environment variable has no number here, and a demo has intervals of its own.
    const isKnown = Number.isFinite(total) && !isDemo()
    const format = new Intl.NumberFormat(RED.i18n.lang(), { maximumSignificantDigits: 2 })
    const values = { alarm, requests: format.format(total) }
    line.text(isKnown ? RED._('@keyholder/node-red-alarm-panel/keyholder:panel.tip.pace', values) : '')
  }
  for (const field of [...fields, account]) field.on('input change', show)
  show()
}

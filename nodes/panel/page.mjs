import { configDialogs, entered } from '../pages/dialog.mjs'

const isDemo = (node) => RED.nodes.node(entered(node, 'account', 'node-config-input'))?.source === 'demo'

// Minimum seconds between polls; settings.js can lower it for a test lab.
const floor = () => Number(RED.settings.keyholderPanelPollFloor) || 10

const isGiven = (node, value) => Boolean(value) || isDemo(node)

const checkInterval = (field) => (node, value) =>
  value === '' || Number(value) >= floor() || node._(`panel.invalid.${field}`, { floor: floor() })

export const rules = {
  serial: isGiven,
  userCode: isGiven,
  stateEvery: checkInterval('stateEvery'),
  eventsEvery: checkInterval('eventsEvery'),
  devicesEvery: checkInterval('devicesEvery'),
}

// Flow nodes are labeled with the name of their panel: the editor draws them again when it changes.
RED.events.on('nodes:change', (node) => {
  if (node?.type === 'keyholder-panel') for (const user of node.users) user.dirty = true
})

export const own = {
  label() {
    return this.name || this.serial || this._('panel.palette')
  },
  // Returns the ID of the only config node of a type that a new flow node can use, otherwise ''. A pasted node is not
  // new: the editor already has it, and it keeps what it has.
  findSole({ id, z }, type) {
    const usable = []
    RED.nodes.eachConfig((node) => {
      if (node.type === type && !node.d && (!node.z || node.z === z)) usable.push(node.id)
    })
    return usable.length === 1 && !RED.nodes.node(id) ? usable[0] : ''
  },
}

export function prepare(node) {
  const account = $('#node-config-input-account')
  const offered = account.children(':not([value="_ADD_"])')
  const isNew = !RED.nodes.node(node.id)
  if (isNew && offered.length === 1) account.val(offered.val())
  const tick = $('#node-config-input-allowCommands')
  let wasDemo = isDemo(node)
  account.on('change', () => {
    const demo = isDemo(node)
    $('#keyholder-panel-demo').toggle(demo)
    $('#keyholder-panel-code, #keyholder-panel-commands').toggle(!demo)
    // A tick that was meant for the demo allows no commands to a real panel.
    if (wasDemo && !demo && tick.prop('checked')) {
      tick.prop('checked', false)
      $('#keyholder-panel-cleared').show()
    }
    wasDemo = demo
  })
  // What somebody has changed is seen at once.
  const isPaced = node.stateEvery || node.eventsEvery || node.devicesEvery
  $('#keyholder-panel-polls').prop('open', Boolean(isPaced))
  $('#keyholder-panel-rehearsal').prop('open', Boolean(node.allowRehearsal))
  const buttons = [
    $('#keyholder-panel-choose'),
    $('#keyholder-panel-check'),
    $('#keyholder-panel-diagnostics'),
  ]
  void configDialogs.then(({ setUpPanelDialog, showPace }) => {
    setUpPanelDialog?.(node, ...buttons)
    showPace?.($('#keyholder-panel-pace'), () => isDemo(node))
  })
}

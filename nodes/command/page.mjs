import { entered, isFixed, isVariable, pickers } from '../pages/dialog.mjs'

const isWhole = (value) => /^-?\d+$/.test(String(value).trim()) || isVariable(value)

const isDemo = ({ account }) => RED.nodes.node(account)?.source === 'demo'

// Only the runtime knows the value of a variable.
const mayCommand = (panel) =>
  isDemo(panel) || String(panel.allowCommands) === 'true' || isVariable(panel.allowCommands)

export const rules = {
  partition: (node, value) =>
    entered(node, 'action') !== 'set_state' || isWhole(value) || node._('command.invalid.partition'),
  zone: (node, value) =>
    entered(node, 'action') !== 'bypass' || value === '' || isWhole(value) || node._('command.invalid.zone'),
}

export function prepare(node) {
  const [partition, state, zone] = ['partition', 'state', 'zone'].map((name) => {
    const validate = (value) => rules[name]?.(node, value) ?? true
    const fixed = { value: 'fixed', label: node._('command.fixed'), icon: 'fa fa-pencil', validate }
    const types = [fixed, 'msg', 'flow', 'global', 'env', 'jsonata']
    return $(`#node-input-${name}`).typedInput({ types, typeField: `#node-input-${name}Type` })
  })
  void pickers.then(({ addPicker }) => {
    addPicker?.(partition, 'partition')
    addPicker?.(state, 'state')
    addPicker?.(zone, 'zone')
  })
  $('#node-input-panel').on('change', function () {
    const panel = RED.nodes.node(this.value)
    $('#keyholder-command-forbidden').toggle(Boolean(panel) && !mayCommand(panel))
  })
  $('#node-input-action').on('change', function () {
    $('#keyholder-command-state').toggle(this.value === 'set_state')
    $('#keyholder-command-zone').toggle(this.value === 'bypass')
  })
  const isDisarm = () => isFixed(node, 'state') && state.val().trim().toUpperCase() === 'DISARM'
  state.on('change keyup', () => $('#keyholder-command-arming').toggle(!isDisarm()))
}

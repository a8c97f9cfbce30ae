import { entered, isFixed } from '../pages/dialog.mjs'

// Names the parts of a field with a type; if the import fails, they have no names.
const described = import('./resources/@keyholder/node-red-alarm-panel/typed-input.mjs').catch(() => ({}))

const operations = [
  ...['panels', 'panel_info', 'feature_set', 'devices', 'standard_log', 'events', 'rri_results'],
  ...['configuration_list', 'event_profiles', 'session', 'status', 'alarms', 'alerts', 'troubles'],
  ...['locations', 'users'],
]

// An operation from elsewhere can be any.
const mayBe = (node, operation) => !isFixed(node, 'operation') || entered(node, 'operation') === operation

export const rules = {
  panel(node, value) {
    if (value && value !== '_ADD_')
      return Boolean(RED.nodes.node(value)) && RED.nodes.node(value).valid !== false
    const account = entered(node, 'account')
    return Boolean(account) && account !== '_ADD_'
  },
  since(node, value) {
    if (!mayBe(node, 'standard_log') || !value || /^\$\{\w+\}$/.test(value)) return true
    return /^(\d{13}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*)$/.test(value) || node._('query.invalid.since')
  },
  locale(node, value) {
    if (entered(node, 'operation') !== 'event_profiles' || !isFixed(node, 'operation') || !value) return true
    return /^[a-z]{2,3}_([A-Z]{2}|\d{3})$/.test(value)
  },
}

export function prepare(node) {
  const addTypes = (field, fixed) => {
    const types = [
      { value: 'fixed', label: node._('query.fixed'), ...fixed },
      ...['msg', 'flow', 'global', 'env', 'jsonata'],
    ]
    const input = $(`#node-input-${field}`).typedInput({ types, typeField: `#node-input-${field}Type` })
    void described.then(({ describeTypedInput }) => describeTypedInput?.(input))
    return input
  }
  // An operation that this version does not know stays.
  const words = [...new Set([...operations, ...(isFixed(node, 'operation') ? [node.operation] : [])])]
  const options = words.map((value) => ({
    value,
    label: node._(`query.operation.${value}`, { defaultValue: value }),
  }))
  addTypes('operation', { icon: 'fa fa-list', options }).on('change', () => {
    $('#keyholder-query-since').toggle(mayBe(node, 'standard_log'))
    $('#keyholder-query-locale').toggle(mayBe(node, 'event_profiles'))
  })
  addTypes('since', { icon: 'fa fa-pencil', validate: (value) => rules.since(node, value) })
  $('#node-input-operation').trigger('change')
}

// What the pages of several nodes do. The build copies into each page what it uses, so that a dialog works without
// resources/.

// Adds buttons that show the available choices; if the import fails, values can still be typed.
export const pickers = import('./resources/@keyholder/node-red-alarm-panel/pickers/picker.mjs').catch(
  () => ({}),
)

// Adds the buttons and checks of a config node; if the import fails, the fields still work.
export const configDialogs = import('./resources/@keyholder/node-red-alarm-panel/config-dialogs.mjs').catch(
  () => ({}),
)

// Node-RED gives no values for a node without stored credentials, and would take the empty fields for a change.
export const fillCredentials = (node, empty) => {
  for (const known of [node.credentials, node.credentials?._])
    for (const [field, value] of Object.entries(known ? empty : {})) known[field] ??= value
}

export const isVariable = (text) => /^\$\{[a-zA-Z_]\w*\}$/.test(text)

// An empty number stands for its default, unless it is required.
export const isNumber = (value, { min, max = Number.POSITIVE_INFINITY, whole, required }) => {
  const text = String(value ?? '').trim()
  const number = Number(text)
  const fits = number >= min && number <= max && (!whole || Number.isInteger(number))
  return text === '' ? !required : isVariable(text) || fits
}

export const isTopic = (text) => text === '' || isVariable(text) || /^[^/+#\s][^+#\s]*$/.test(text)

export const areIds = (list) => [].concat(list || []).every((id) => Number.isInteger(id) || isVariable(id))

export const toId = (word) => (/^-?\d+$/.test(word) ? Number(word) : word)

export const fillList = (node, field) => {
  const list = $(`#node-input-${field}-list`)
  list.val([].concat(node[field] || []).join(', '))
  void pickers.then(({ addPicker }) => addPicker?.(list, field))
}

// A list is typed as text and stored as an array; a single variable stays a string, because it may
// contain the whole list.
export const typedList = (field, toItem) => {
  const text = $(`#node-input-${field}-list`).val().trim()
  return isVariable(text) ? text : (text.match(/[^\s,;]+/g) ?? []).map(toItem)
}

export const fillBoxes = (node, field) => {
  $(`#node-input-${field}-list input[type=checkbox]`).val([].concat(node[field] || []))
}

export const ticked = (field) => $.map($(`#node-input-${field}-list input:checked`), (box) => box.value)

// Reads the value in the node's own form while it is open, otherwise the stored value.
export const entered = (node, field, prefix = 'node-input') => {
  const isOpen = RED.editor.getEditStack().at(-1)?.id === node.id
  return (isOpen && $(`#${prefix}-${field}`).val()) || node[field]
}

// A node of an earlier version has fixed values only.
export const isFixed = (node, field) => (entered(node, `${field}Type`) || 'fixed') === 'fixed'

// The editor itself checks what says from where a value is.
export const checkTyped = (node, field, value, opt, rule = () => true) =>
  isFixed(node, field)
    ? rule(node, value, opt)
    : RED.utils.validateTypedProperty(value, entered(node, `${field}Type`), opt)

// Shows which instances send only where there are several.
export const showInstances = (set) => {
  const show = () => {
    const account = RED.nodes.node(RED.nodes.node($('#node-input-panel').val())?.account)
    const isShared = Boolean(RED.nodes.node(account?.cluster)) && account.source !== 'demo'
    $(`#keyholder-${set}-instances`).toggle(isShared)
    // A flow of before there were clusters has no value, and keeps none while the row is hidden.
    if (isShared && !$('#node-input-instances').val()) $('#node-input-instances').val('one')
  }
  $('#node-input-panel').on('change', show)
  show()
}

import { addRow, onPanelField } from './panel-field.mjs'

/** The nodes that tell alarms. */
const tellers = ['incident', 'conditions', 'chain-test', 'events'].map((set) => `keyholder-${set}`)

/** Adds a button that opens the panel's dialog at the rehearsal to the dialog of each node that tells alarms. */
export function addRehearseButtons() {
  onPanelField((field) => {
    if (!tellers.includes(RED.editor.getEditStack().at(-1)?.type)) return
    const text = RED._('@keyholder/node-red-alarm-panel/keyholder:account.label.rehearse')
    const { row, button } = addRow(field, 'keyholder-rehearse', 'fa-film', text)
    const show = () => row.toggle(Boolean(RED.nodes.node(field.val())))
    field.on('change', show)
    show()
    button.on('click', () => {
      // Node-RED gives the focus to the first field of a dialog once it is open.
      document.addEventListener('focusin', showRehearsal, { once: true })
      $('#node-input-btn-panel-edit').trigger('click')
    })
  })
}

function showRehearsal() {
  const part = $('#keyholder-panel-rehearsal')
  part.prop('open', true)
  part[0]?.scrollIntoView()
  part.find('select').trigger('focus')
}

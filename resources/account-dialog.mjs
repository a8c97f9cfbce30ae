import { checkButton } from './check-button.mjs'

/** Adds to the account dialog of a node the check of its unsaved values. */
export function accountDialog(node, button) {
  checkButton(button, () => {
    const fields = Object.keys(node._def.defaults).concat('email', 'password')
    const form = Object.fromEntries(fields.map((field) => [field, $(`#node-config-input-${field}`).val()]))
    return { kind: 'account', id: node.id, form, list: $('#keyholder-account-findings') }
  })
}

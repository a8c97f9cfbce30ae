import { checkButton } from './check-button.mjs'
import { accountForm } from './unsaved-form.mjs'

/**
 * Returns the account as it is in the editor, deployed or not; without an account, shows a hint in the list.
 */
function chosenAccount(list) {
  const form = accountForm($('#node-config-input-account').val())
  if (!form)
    list.empty().append($('<li>').text(RED._('@keyholder/node-red-alarm-panel/panel:panel.tip.noAccount')))
  return form
}

/** Adds to the panel dialog of a node the list of panels and the check of the user code. */
export function panelDialog(node, chooseButton, codeButton) {
  const serial = $('#node-config-input-serial')
  checkButton(chooseButton, () => {
    const list = $('#keyholder-panel-choice')
    const form = chosenAccount(list)
    const choose = (panel) => serial.val(panel.serial).trigger('change')
    const pick = { chosen: () => serial.val(), choose }
    return form && { kind: 'account', id: form.id, form, list, pick, brief: true }
  })
  checkButton(codeButton, () => {
    const list = $('#keyholder-panel-findings')
    const form = {
      account: chosenAccount(list),
      serial: serial.val(),
      userCode: $('#node-config-input-userCode').val(),
    }
    return form.account && { kind: 'panel', id: node.id, form, list, brief: true }
  })
}

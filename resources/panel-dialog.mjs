import { checkButton } from './check-button.mjs'
import { accountForm } from './unsaved-form.mjs'

/** The account as it stands in the editor, deployed or not; without one there is nothing to ask. */
function chosenAccount(list) {
  const form = accountForm($('#node-config-input-account').val())
  if (!form)
    list.empty().append($('<li>').text(RED._('@keyholder/node-red-alarm-panel/panel:panel.tip.noAccount')))
  return form
}

/** Brings the panel dialog of a node to life: its list of panels to choose from, and the check of its user code. */
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

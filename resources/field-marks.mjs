const key = 'keyholder-mark'

const inputOf = (field) => $(`#node-config-input-${field}`)

/** Returns the field of the open dialog at which a setting is marked: its own, or that of the config node that has it. */
function fieldOf(setting) {
  const [name, place = 'account'] = setting.split('.').reverse()
  const isOwn = place === 'cluster' ? isInDialog('clusterName') : isInDialog(name)
  return isOwn ? name : [place, 'account'].find(isInDialog)
}

/** Tells if a setting has a field in the open dialog of a config node; it may be hidden. */
export function isInDialog(field) {
  return inputOf(field).length > 0
}

function unmark(input) {
  const mark = input.data(key)
  input.off(`.${key}`).removeData(key).removeAttr('aria-invalid')
  input.attr('aria-describedby', mark.describedBy ?? null)
  // Node-RED's own validation has the same class.
  if (mark.wasValid) input.removeClass('input-error')
}

/** Removes all marks from the fields of the open dialog. */
export function clearMarks() {
  $('[aria-invalid="true"]').each((_, element) => {
    if ($(element).data(key)) unmark($(element))
  })
}

/**
 * Marks the fields that a failure is about until they are edited, also those under Advanced, which opens. A field of
 * the account is marked in the panel's dialog at the account, and one of the cluster in the account's dialog at the cluster.
 * @param fields names of settings, the first one first to correct; `cluster.` precedes those of a cluster
 * @param text element with the text of the failure
 * @param button the button that was pressed; if it still has the focus, the first field gets it
 */
export function markFields(fields, text, button) {
  const names = fields.map(fieldOf).filter(Boolean)
  const inputs = [...new Set(names)].map(inputOf)
  for (const input of inputs) {
    if (input.data(key)) unmark(input)
    const describedBy = input.attr('aria-describedby')
    input.data(key, { describedBy, wasValid: !input.hasClass('input-error') })
    input.attr({
      'aria-invalid': 'true',
      'aria-describedby': `${describedBy ?? ''} ${text.attr('id')}`.trim(),
    })
    input.addClass('input-error').on(`input.${key} change.${key}`, () => unmark(input))
    input.closest('details').prop('open', true)
  }
  // Some browsers give a pressed button no focus.
  if (!inputs.length || ![button[0], document.body].includes(document.activeElement)) return
  inputs[0][0].focus({ preventScroll: true })
  // Both in sight if there is room, the text in any case.
  for (const [element] of [inputs[0], text]) element.scrollIntoView({ block: 'nearest' })
}

/**
 * Calls a function with the field *Panel* of each dialog of a flow node, once it is there.
 * @param add gets the field
 */
export function onPanelField(add) {
  const seen = new WeakSet()
  // Node-RED replaces the input of the form by a list of the panels.
  const look = () => {
    for (const field of $('select#node-input-panel')) {
      if (seen.has(field)) continue
      seen.add(field)
      add($(field))
    }
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}

/**
 * Adds a row with a button below the field *Panel*.
 * @param id of the row; that of the button ends with `-open`
 * @param icon the class of Font Awesome
 */
export function addRow(field, id, icon, text) {
  const button = $(`<button type="button" class="red-ui-button" id="${id}-open">`)
  button.append($(`<i class="fa ${icon}" aria-hidden="true">`), ' ', $('<span>').text(text))
  const row = $(`<div class="form-row" id="${id}-row">`).append($('<label>'), button)
  row.insertAfter(field.closest('.form-row'))
  return { row, button }
}

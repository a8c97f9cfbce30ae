/**
 * Completes a TypedInput of Node-RED: its parts have names for assistive technology, a click on the label leads to the
 * text, and the placeholder is shown for a fixed value only.
 * @param field the field in the form, which Node-RED hides
 * @returns the text field beside it that the user sees, or `field` itself if it is no TypedInput
 */
export function describeTypedInput(field) {
  const box = field.next('.red-ui-typedInput-container')
  if (box.length === 0) return field
  const label = field.siblings('label')
  const caption = label.text().trim()
  const text = box.find('.red-ui-typedInput-input')
  const placeholder = text.attr('placeholder') ?? ''
  const select = box.find('.red-ui-typedInput-type-select')
  text.attr('id', `${field.attr('id')}-text`)
  label.attr('for', text.attr('id'))
  box.find('.red-ui-typedInput-option-expand').attr('aria-label', caption)
  const update = () => {
    select.attr('aria-label', `${caption}: ${select.attr('title')}`)
    text.attr('placeholder', isFixedValue(field) ? placeholder : '')
  }
  field.on('change', update)
  update()
  return text
}

/** Tells if the value of a field is fixed, and does not come from a message, a context or an expression. */
export function isFixedValue(field) {
  return field.next('.red-ui-typedInput-container').length === 0 || field.typedInput('type') === 'fixed'
}

/**
 * Creates an element with properties and children. Strings become text nodes, so they are never parsed as
 * markup. Properties with a dash are attributes: `aria-label`.
 */
export function element(tag, properties = {}, ...children) {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') created.setAttribute(name, value)
    else created[name] = value
  }
  created.append(...children)
  return created
}

/** Returns the element of the page with this id. */
export function byId(id) {
  return document.getElementById(id)
}

/** Sets a text only if it differs, so that a selection is kept and screen readers do not read it again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Recreates the children of `parent`, but only if their content has changed since the last time. */
export function updateChildren(parent, items, make) {
  const content = JSON.stringify(items)
  if (previousContents.get(parent) === content) return
  previousContents.set(parent, content)
  parent.replaceChildren(...items.map(make))
}

const previousContents = new WeakMap()

/** Fills a list of options once; `choices` are pairs of value and text. */
export function setOptions(select, choices) {
  const before = select.value
  updateChildren(select, choices, ([value, text]) => element('option', { value, textContent: text }))
  if (choices.some(([value]) => value === before)) select.value = before
}

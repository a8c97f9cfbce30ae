/**
 * An element with properties and children; texts are set as text alone, so that nothing shown can become markup.
 * Properties with a dash are attributes: `aria-label`.
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') made.setAttribute(name, value)
    else made[name] = value
  }
  made.append(...children)
  return made
}

/** The element of the page with this id. */
export function byId(id) {
  return document.getElementById(id)
}

/** Sets a text only where it differs, so that a selection in it and what reads it aloud are left alone. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Makes the children of `parent` anew, but only when what they show has changed since the last time. */
export function remake(parent, shown, make) {
  const fingerprint = JSON.stringify(shown)
  if (fingerprints.get(parent) === fingerprint) return
  fingerprints.set(parent, fingerprint)
  parent.replaceChildren(...shown.map(make))
}

const fingerprints = new WeakMap()

/** Fills a list of options once; `choices` are pairs of value and text. */
export function offer(select, choices) {
  const before = select.value
  remake(select, choices, ([value, text]) => element('option', { value, textContent: text }))
  if (choices.some(([value]) => value === before)) select.value = before
}

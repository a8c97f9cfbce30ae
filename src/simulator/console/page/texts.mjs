/** The German texts by the English ones, if the browser speaks German. */
const german = navigator.language.startsWith('de')
  ? await fetch('console/german.json').then((response) => (response.ok ? response.json() : {}))
  : {}

/** Returns a text of the page in the language of the browser, with values in its places, such as `{name}`. */
export function say(text, values = {}) {
  return (german[text] ?? text).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place)
}

/** Translates what the page had before its scripts ran. */
export function translatePage() {
  if (say('Panel') === 'Panel') return
  document.documentElement.lang = 'de'
  document.title = say(document.title)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode } = texts
    const text = currentNode.data.trim()
    if (text !== '') currentNode.data = currentNode.data.replace(text, say(text))
  }
  for (const labelled of document.querySelectorAll('body [aria-label]'))
    labelled.setAttribute('aria-label', say(labelled.getAttribute('aria-label')))
}

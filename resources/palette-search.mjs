const account = '@keyholder/node-red-alarm-panel/keyholder:account'
const prefix = 'keyholder-'
const isOurs = (type) => type?.startsWith(prefix)

let isStarted = false

/**
 * Lets the filter of the palette and the quick-add box find our nodes by words that their labels lack: each by what it is for,
 * such as `smoke`, and all by the trade and the makers. Node-RED looks only at labels and types, and the quick-add box shows
 * first what has the word nearest to its begin.
 */
export function addSearchWords() {
  // Node-RED runs the page of a node again when the node is turned off and on.
  if (isStarted) return
  isStarted = true
  addToPalette()
  RED.events.on('registry:node-type-added', (type) => isOurs(type) && setTimeout(addToPalette, 0))
  RED.events.on('type-search:open', addToQuickAdd)
}

/** Returns the words for a type of node, those of its own first. */
function wordsOf(type) {
  const set = type.slice(prefix.length)
  return `${RED._(`@keyholder/node-red-alarm-panel/keyholder:${set}.searchWords`)} ${RED._(`${account}.searchWords`)}`
}

function addToPalette() {
  for (const node of document.querySelectorAll(`.red-ui-palette-node[data-palette-type^="${prefix}"]`)) {
    const label = node.getAttribute('data-palette-label') ?? ''
    const words = wordsOf(node.getAttribute('data-palette-type'))
    if (!label.endsWith(words)) node.setAttribute('data-palette-label', `${label} ${words}`)
  }
}

function addToQuickAdd() {
  for (const row of $('#red-ui-type-search .red-ui-editableList-item-content')) {
    const item = $(row).data('data')
    if (isOurs(item?.type) && typeof item.index === 'string') item.index += `|${wordsOf(item.type)}`
  }
}

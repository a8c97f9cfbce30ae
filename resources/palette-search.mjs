const account = '@keyholder/node-red-alarm-panel/keyholder:account'
const isOurs = (type) => type?.startsWith('keyholder-')

let isStarted = false

/**
 * Lets the filter of the palette and the quick-add box find our nodes by words that their labels lack, such as the maker
 * of a panel. Node-RED looks only at labels and types.
 */
export function addSearchWords() {
  // Node-RED runs the page of a node again when the node is turned off and on.
  if (isStarted) return
  isStarted = true
  const words = RED._(`${account}.searchWords`)
  addToPalette(words)
  RED.events.on(
    'registry:node-type-added',
    (type) => isOurs(type) && setTimeout(() => addToPalette(words), 0),
  )
  RED.events.on('type-search:open', () => addToQuickAdd(words))
}

function addToPalette(words) {
  for (const node of document.querySelectorAll('.red-ui-palette-node[data-palette-type^="keyholder-"]')) {
    const label = node.getAttribute('data-palette-label') ?? ''
    if (!label.endsWith(words)) node.setAttribute('data-palette-label', `${label} ${words}`)
  }
}

function addToQuickAdd(words) {
  for (const row of $('#red-ui-type-search .red-ui-editableList-item-content')) {
    const item = $(row).data('data')
    if (isOurs(item?.type) && typeof item.index === 'string') item.index += `|${words}`
  }
}

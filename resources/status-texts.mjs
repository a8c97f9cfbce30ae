/** The parts of the statuses that the nodes of this package show, by node id (nodes/shared/node-status.ts). */
const known = new Map()

let isStarted = false

/**
 * Shows the statuses of our nodes in the language and the time zone of this browser. Node-RED alone would show the text
 * for flows, which is in the language of the server.
 */
export function translateStatuses() {
  // Node-RED runs the page of a node again when the node is turned off and on.
  if (isStarted) return
  isStarted = true
  RED.comms.subscribe('keyholder/status/#', (topic, parts) => {
    const id = idIn(topic)
    if (parts) known.set(id, parts)
    else known.delete(id)
    translateSoon(id)
  })
  RED.comms.subscribe('status/#', (topic) => translateSoon(idIn(topic)))
}

const idIn = (topic) => topic.split('/').pop()

/** Waits until the editor has the status too: either of the two messages may come first. */
function translateSoon(id) {
  if (known.has(id)) setTimeout(() => translate(id), 0)
}

function translate(id) {
  const node = RED.nodes.node(id)
  const parts = known.get(id)
  // Another text belongs to another status, whose parts are still on their way.
  if (!parts || node?.status?.text !== parts.raw) return
  node.status.text = written(parts)
  node.dirtyStatus = true
  node.dirty = true
  RED.view.redrawStatus(node)
}

/** Does in this browser what `written` in nodes/shared/node-status.ts does on the server. */
function written({ before, key, values = {}, cause, next, detail, at }) {
  const filled = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? shownTime(value) : value,
  ])
  const { _: translated } = RED
  const word = key && translated(key, Object.fromEntries(filled))
  const said = [before && translated(before), word, cause && translated(cause), detail]
    .filter(Boolean)
    .join(': ')
  const again = next?.key && translated(next.key, { time: shownTime(next.time) })
  return [said, again, at === undefined ? '' : shownTime(at)].filter(Boolean).join(', ')
}

function shownTime(at) {
  const time = new Date(at)
  if (Math.abs(at - Date.now()) < 24 * 60 * 60_000) return time.toTimeString().slice(0, 5)
  const twoDigits = (number) => String(number).padStart(2, '0')
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
}

import { postForm } from './admin-requests.mjs'
import { describeRequestFailure } from './failure-message.mjs'
import { addRow, onPanelField } from './panel-field.mjs'

const account = '@keyholder/node-red-alarm-panel/keyholder:account'

/** The address of a link in the comments of the examples that opens the console. */
const linkAddress = '#keyholder-console'

let isStarted = false

/**
 * Makes a button open the console page of an account's demo in a new tab.
 * @param problem list that shows why it does not open
 */
export function bindConsoleButton(button, id, problem) {
  button.on('click', () => {
    problem.empty()
    openConsole(id, (text) => problem.append($('<li class="keyholder-failed">').text(text)))
  })
  button.prop('disabled', false)
}

/**
 * Adds a button that opens the console to the dialog of every node with a panel of a demo, and lets the links in comments
 * open it.
 */
export function addConsoleLinks() {
  // Node-RED runs the page of a node again when the node is turned off and on.
  if (isStarted) return
  isStarted = true
  onPanelField(addButton)
  // Before the editor, which opens links in a new tab.
  const onClick = (event) => {
    if (event.target.closest?.('a')?.getAttribute('href') !== linkAddress) return
    event.preventDefault()
    event.stopPropagation()
    const id = findDemo()
    const showProblem = (text) => RED.notify(text, { type: 'error', timeout: 10_000 })
    if (id === undefined) showProblem(RED._(`${account}.console.notDeployed`))
    else openConsole(id, showProblem)
  }
  document.addEventListener('click', onClick, true)
}

/** Adds the button to the open dialog, below the field that selects a panel. */
function addButton(select) {
  const text = RED._(`${account}.label.console`)
  const { row, button } = addRow(select, 'keyholder-console', 'fa-external-link', text)
  const problem = $('<ol class="keyholder-check" aria-live="polite">').appendTo(row)
  const demo = () => demoOf(RED.nodes.node(select.val())?.account)
  const show = () => row.toggle(demo() !== undefined)
  select.on('change', show)
  show()
  button.on('click', () => {
    problem.empty()
    openConsole(demo(), (text) => problem.append($('<li class="keyholder-failed">').text(text)))
  })
}

/** Returns the id of an account if it is a demo. */
function demoOf(id) {
  return RED.nodes.node(id)?.source === 'demo' ? id : undefined
}

/** Returns the id of the first account that is a demo. */
function findDemo() {
  let found
  RED.nodes.eachConfig(({ type, id }) => {
    if (type === 'keyholder-account') found ??= demoOf(id)
  })
  return found
}

function openConsole(id, showProblem) {
  // Opened before the answer: after it, a browser may block a new tab.
  const tab = window.open('', '_blank')
  if (!tab) return showProblem(RED._(`${account}.console.blocked`))
  tab.opener = null
  // The answer gives the browser a cookie for the page: a page is opened without the editor's token.
  const request = postForm({ kind: 'demo', id, route: 'open' }, {})
  request.done(() => {
    tab.location = new URL(`keyholder/demo/${encodeURIComponent(id)}/`, document.baseURI).href
  })
  request.fail((response) => {
    tab.close()
    const reason = response.responseJSON?.reason
    showProblem(reason ? RED._(`${account}.console.${reason}`) : describeRequestFailure(response))
  })
}

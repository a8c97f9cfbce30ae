import { byId, setOptions } from './element.mjs'
import { showPanel } from './panel.mjs'
import { addServiceHandlers, showClock, showRequests, showService } from './service.mjs'
import { say, translatePage } from './texts.mjs'
import { showWarnings } from './warnings.mjs'

const pollInterval = 1000

let state
/** Number of actions so far: a state requested before the latest action is outdated when it arrives. */
let actionCount = 0
let isLost = false

const noResponse = say('The simulator does not respond. Check that it is still running.')

/** Runs an action, then shows its result and the new state. */
async function runAction(action, body) {
  actionCount += 1
  try {
    const response = await fetch(`console/${action}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (response.ok) {
      const { done, text, values } = await response.json()
      showMessage(say(text, values), !done)
    } else showMessage(await explainRefusal(response), true)
  } catch {
    showMessage(noResponse, true)
  }
  actionCount += 1
  await poll()
}

/** Returns a sentence for a response that is no success. */
async function explainRefusal(response) {
  // Only Node-RED asks who opens the page.
  if (response.status === 401)
    return say(
      'Your permission for this page has ended. Open it again with the button in the dialog of the account.',
    )
  const { message } = await response.json().catch(() => ({}))
  return message ?? say('The simulator answered with status {status}.', { status: response.status })
}

/** Shows a sentence in the only live region: results of actions on this page, not events of the world. */
function showMessage(sentence, isProblem = false) {
  byId('outcome').textContent = sentence
  byId('outcome').classList.toggle('problem', isProblem)
}

async function poll() {
  const before = actionCount
  try {
    const response = await fetch('console/state')
    if (!response.ok) return showLoss(await explainRefusal(response))
    const received = await response.json()
    if (isLost) showMessage(say('The simulator responds again.'))
    isLost = false
    document.body.classList.remove('lost')
    if (before === actionCount) show(received)
  } catch {
    showLoss(noResponse)
  }
}

/** Shows once why there is no state. */
function showLoss(sentence) {
  if (!isLost) showMessage(sentence, true)
  isLost = true
  document.body.classList.add('lost')
}

function show(received) {
  state = received
  setOptions(
    byId('serial'),
    received.panels.map(({ serial, alias }) => [serial, `${alias} (${serial})`]),
  )
  byId('choose-panel').hidden = received.panels.length < 2
  showPanel(getSelectedPanel(), runAction)
  showWarnings(getSelectedPanel(), received.warnings, runAction)
  showService(received, runAction)
  showRequests(received.requests)
  showClock(received)
}

function getSelectedPanel() {
  return state.panels.find(({ serial }) => serial === byId('serial').value) ?? state.panels[0]
}

async function keepPolling() {
  if (!document.hidden) await poll()
  setTimeout(keepPolling, pollInterval)
}

translatePage()
byId('serial').onchange = () => show(state)
byId('online').onchange = ({ target }) =>
  runAction('line', { panel: getSelectedPanel().serial, online: target.checked })
byId('jammed').onchange = ({ target }) =>
  runAction('jam', { panel: getSelectedPanel().serial, on: target.checked })
byId('power-cut').onchange = ({ target }) =>
  runAction('power', { panel: getSelectedPanel().serial, on: !target.checked })
byId('household-on').onchange = ({ target }) =>
  runAction('household', { panel: getSelectedPanel().serial, on: target.checked })
byId('speed').onchange = ({ target }) => runAction('speed', { speed: Number(target.value) })
addServiceHandlers(runAction)
void keepPolling()

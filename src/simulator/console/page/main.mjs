import { byId, offer } from './element.mjs'
import { showPanel } from './panel.mjs'
import { showClock, showRequests, showService, wireService } from './service.mjs'

const rhythm = 1000

let picture
/** Number of actions so far: a state requested before the latest action is outdated when it arrives. */
let acted = 0
let lost = false

/** Runs an action, then shows its result and the new state. */
async function act(action, body) {
  acted += 1
  try {
    const response = await fetch(`/console/${action}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { done, message } = await response.json()
    say(message ?? `The simulator answered ${response.status}.`, !done)
  } catch {
    say('The simulator does not answer. Is it still running?', true)
  }
  acted += 1
  await look()
}

/** The only live region: it announces results of actions on this page, not events of the simulated world. */
function say(sentence, isProblem = false) {
  byId('outcome').textContent = sentence
  byId('outcome').classList.toggle('problem', isProblem)
}

async function look() {
  const before = acted
  try {
    const response = await fetch('/console/state')
    if (!response.ok) throw new Error(String(response.status))
    const seen = await response.json()
    if (lost) say('The simulator answers again.')
    lost = false
    if (before === acted) show(seen)
  } catch {
    if (!lost) say('The simulator does not answer. Is it still running?', true)
    lost = true
  }
  document.body.classList.toggle('lost', lost)
}

function show(seen) {
  picture = seen
  offer(
    byId('serial'),
    seen.panels.map(({ serial, alias }) => [serial, `${alias} (${serial})`]),
  )
  byId('choose-panel').hidden = seen.panels.length < 2
  showPanel(chosenPanel(), act)
  showService(seen, act)
  showRequests(seen.requests)
  showClock(seen)
}

function chosenPanel() {
  return picture.panels.find(({ serial }) => serial === byId('serial').value) ?? picture.panels[0]
}

async function keepLooking() {
  if (!document.hidden) await look()
  setTimeout(keepLooking, rhythm)
}

byId('serial').onchange = () => showPanel(chosenPanel(), act)
byId('online').onchange = ({ target }) => act('line', { panel: chosenPanel().serial, online: target.checked })
byId('speed').onchange = ({ target }) => act('speed', { speed: Number(target.value) })
wireService(act)
void keepLooking()

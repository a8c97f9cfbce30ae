import { postForm } from './admin-requests.mjs'
import { describeRequestFailure } from './failure-message.mjs'
import { createRehearsalReport } from './rehearsal-report.mjs'

const texts = '@keyholder/node-red-alarm-panel/keyholder:panel'

/** Milliseconds after which the progress of a rehearsal is read again. */
const refreshEvery = 1000

/** The messages that are listed; the report has them all. */
const maxListed = 100

function timeOf(at) {
  return new Date(at).toLocaleTimeString(RED.i18n.lang())
}

/** Returns the sentence about a rehearsal. */
function describe({ state, scene, ended, startedAt, endedAt, message }) {
  if (state === 'failed') return message
  if (startedAt === undefined) return RED._(`${texts}.rehearsal.${state}`)
  const played = RED._(`${texts}.rehearsal.scene.${scene}`)
  const start = timeOf(startedAt)
  if (state === 'running') return RED._(`${texts}.rehearsal.running`, { scene: played, start })
  return `${played}, ${start} – ${timeOf(endedAt)}. ${RED._(`${texts}.rehearsal.ended.${ended}`)}`
}

/**
 * Makes the part of a panel dialog about rehearsals start, stop and show that of its deployed panel.
 * @param id of the panel node
 */
export function bindRehearsal(id) {
  const part = $('#keyholder-panel-rehearsal')
  const [scenes, button] = [part.find('select'), part.find('button')]
  const [line, list, report] = [part.find('[role=status]'), part.find('ol'), part.find('.keyholder-reported')]
  let state = 'none'
  let shown
  let timer
  const show = (found) => {
    state = found.state
    const isRunning = state === 'running'
    line.text(describe(found))
    const rows = (found.sent ?? []).slice(-maxListed).map(({ at, name, type, topic }) => {
      const sender = name || type.replace('keyholder-', '')
      return $('<li>').text(`${timeOf(at)}  ${sender}: ${topic}`)
    })
    // A list that scrolls must be reachable by the keyboard; an empty one need not.
    list
      .empty()
      .append(rows)
      .attr('tabindex', rows.length > 0 ? 0 : null)
    // Whoever reads the report with the keyboard must not lose the place in it.
    if (shown !== found.endedAt) report.empty().append(found.report && createRehearsalReport(found.report))
    shown = found.endedAt
    part.find('select, input').prop('disabled', isRunning)
    button.toggle(state !== 'undeployed')
    button.text(isRunning ? RED._(`${texts}.rehearsal.stop`) : RED._(`${texts}.rehearsal.start`))
    clearTimeout(timer)
    if (isRunning) timer = setTimeout(() => act('look'), refreshEvery)
  }
  const act = (action) => {
    const form = {
      action,
      scene: scenes.val(),
      faster: $('#keyholder-panel-faster').prop('checked'),
      homeAssistant: $('#keyholder-panel-homeAssistant').prop('checked'),
    }
    return postForm({ kind: 'panel', id, route: 'rehearsal' }, form).then(show, (response) =>
      line.text(describeRequestFailure(response)),
    )
  }
  button.on('click', () => act(state === 'running' ? 'stop' : 'start'))
  // jQuery UI triggers `remove` when the dialog closes.
  button.on('remove', () => clearTimeout(timer))
  button.prop('disabled', false)
  act('look')
}

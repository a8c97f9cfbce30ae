import { postForm } from './admin-requests.mjs'
import { describeRequestFailure } from './failure-message.mjs'
import { createReportPage, describeOutcome, isUntold, nameOfWay } from './rehearsal-report.mjs'

const texts = '@keyholder/node-red-alarm-panel/keyholder:panel'

const say = (part, values) => RED._(`${texts}.rehearsal.${part}`, values)

/** Milliseconds after which the progress of a rehearsal is read again. */
const refreshEvery = 1000

/** Milliseconds for which a notification about a rehearsal that went well is shown. */
const shownFor = 20_000

/** The notification about the latest rehearsal. */
let notification

function timeOf(at) {
  return new Date(at).toLocaleTimeString(RED.i18n.lang())
}

/** Returns the sentence about a rehearsal. */
function describe({ state, scene, ended, startedAt, endedAt, sent, message }) {
  if (state === 'failed') return message
  if (startedAt === undefined) return say(state)
  const played = say(`scene.${scene}`)
  if (state === 'running') {
    const seconds = Math.max(0, Math.round((Date.now() - startedAt) / 1000))
    return say('running', { scene: played, seconds, count: sent })
  }
  const minutes = Math.round((endedAt - startedAt) / 60_000)
  return `${played}, ${timeOf(startedAt)} – ${timeOf(endedAt)}. ${say(`ended.${ended}`, { minutes })}`
}

/** Returns the sentences about a rehearsal, with what its report comes to. */
function summarize(found) {
  return [describe(found), found.report && describeOutcome(found.report)].filter(Boolean).join(' ')
}

/** Returns the type of the notification about a rehearsal that has ended. */
function severityOf({ ended, report }) {
  if (isUntold(report)) return 'error'
  return report.outcome === 'good' && ended === 'scene' ? 'success' : 'warning'
}

function pageOf(id, found) {
  const { name, serial } = RED.nodes.node(id) ?? {}
  const title = [say('word'), name || serial].filter(Boolean).join(': ')
  return createReportPage(title, describe(found), found)
}

/**
 * Makes the part of a panel dialog about rehearsals start, stop and show that of its deployed panel.
 * @param id of the panel node
 */
export function bindRehearsal(id) {
  const part = $('#keyholder-panel-rehearsal')
  const [scenes, button, line] = [
    part.find('select'),
    part.find('button').first(),
    part.find('[role=status]'),
  ]
  const [question, link] = [part.find('.keyholder-question'), part.find('.keyholder-report')]
  let state = 'none'
  let shown
  let timer
  const ask = ({ ways }) => {
    const names = ways.map(nameOfWay).join(', ')
    question.find('p').text(names ? say('acting', { ways: names }) : say('actingNone'))
    question.show()
  }
  const show = (found) => {
    if (found.state === 'asked') return ask(found)
    state = found.state
    const isRunning = state === 'running'
    line.text(summarize(found))
    if (found.scene) scenes.val(found.scene)
    if (shown !== found.endedAt && found.report) link.find('a').attr('href', pageOf(id, found))
    link.toggle(Boolean(found.report))
    shown = found.endedAt
    part.find('select, input').prop('disabled', isRunning)
    button.toggle(state !== 'undeployed')
    button.text(isRunning ? say('stop') : say('start'))
    clearTimeout(timer)
    if (isRunning) timer = setTimeout(() => act('look'), refreshEvery)
  }
  const act = (action) => {
    question.hide()
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
  button.on('click', () => act(state === 'running' ? 'stop' : 'ask'))
  const [start, cancel] = question.find('button').toArray()
  $(start).on('click', () => act('start'))
  $(cancel).on('click', () => question.hide())
  link.on('click', () => notification?.close())
  // What is asked is about these choices.
  part.find('select, input').on('change', () => question.hide())
  // jQuery UI triggers `remove` when the dialog closes.
  part.on('remove', () => clearTimeout(timer))
  act('look').then(() => {
    button.prop('disabled', false)
    if (state === 'running') part.prop('open', true)
  })
}

/** Shows a notification with the report when a rehearsal has ended, whoever has started it. */
export function announceReports() {
  RED.comms.subscribe('notification/keyholder-rehearsal', (_topic, { panel: id }) => {
    postForm({ kind: 'panel', id, route: 'rehearsal' }, { action: 'look' }).then((found) => {
      if (found.state !== 'ended' || !found.report) return
      notification?.close()
      const type = severityOf(found)
      notification = RED.notify($('<p>').text(`${say('word')}: ${summarize(found)}`), {
        type,
        // What went well need not be closed by hand.
        ...(type === 'success' ? { timeout: shownFor } : { fixed: true }),
        buttons: [
          { text: say('close'), click: () => notification.close() },
          {
            text: say('report'),
            class: 'primary',
            click: () => {
              window.open(pageOf(id, found), '_blank')
              notification.close()
            },
          },
        ],
      })
    })
  })
}

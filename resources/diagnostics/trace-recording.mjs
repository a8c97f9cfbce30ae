import { postForm } from '../admin-requests.mjs'
import { describeRequestFailure } from '../failure-message.mjs'
import { createFilePreview } from './diagnostics-preview.mjs'

const texts = '@keyholder/node-red-alarm-panel/keyholder:panel'

/** Milliseconds after which the figures of a running recording are read again. */
const refreshEvery = 5000

/** Returns a size in the unit that suits it. */
function describeSize(bytes) {
  const [unit, count] = bytes < 2 ** 20 ? ['kilobyte', bytes / 2 ** 10] : ['megabyte', bytes / 2 ** 20]
  const options = { style: 'unit', unit, maximumFractionDigits: unit === 'kilobyte' ? 0 : 1 }
  return new Intl.NumberFormat(RED.i18n.lang(), options).format(count)
}

/** Returns the sentence about a recording. */
function describe({ state, ended, startedAt, duration, requests, bytes, maxBytes }) {
  if (startedAt === undefined) return RED._(`${texts}.trace.${state}`)
  const language = RED.i18n.lang()
  const figures = {
    requests: new Intl.NumberFormat(language).format(requests),
    size: describeSize(bytes),
    most: describeSize(maxBytes),
    hours: Math.round(duration / 3_600_000),
    start: new Date(startedAt).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' }),
    end: new Date(startedAt + duration).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' }),
  }
  const outcome = ended ?? state
  return RED._(`${texts}.trace.${outcome}`, figures)
}

/**
 * Makes the buttons of a panel dialog start, stop, show and discard the trace of its deployed panel.
 * @param id of the panel node
 */
export function bindTraceButtons(id) {
  const record = $('#keyholder-panel-record')
  const [showFile, discard] = [$('#keyholder-panel-trace-show'), $('#keyholder-panel-trace-discard')]
  const [line, preview] = [$('#keyholder-panel-trace-state'), $('#keyholder-panel-trace-file')]
  let state = 'none'
  let timer
  const request = (action, options) => postForm({ kind: 'panel', id, route: 'trace' }, { action }, options)
  const show = (found) => {
    state = found.state
    const isRecording = state === 'recording'
    const hasTrace = isRecording || state === 'ended'
    line.text(describe(found))
    record.toggle(['none', 'recording'].includes(state))
    record
      .find('span')
      .text(isRecording ? RED._(`${texts}.label.stopRecording`) : RED._(`${texts}.label.record`))
    for (const button of [showFile, discard]) button.toggle(hasTrace)
    if (!hasTrace) preview.empty()
    clearTimeout(timer)
    if (isRecording) timer = setTimeout(() => act('look'), refreshEvery)
  }
  const act = (action) =>
    request(action).then(show, (response) => line.text(describeRequestFailure(response)))
  record.on('click', () => act(state === 'recording' ? 'stop' : 'start'))
  discard.on('click', () => act('discard'))
  showFile.on('click', () => {
    const name = `keyholder-trace-${new Date().toISOString().slice(0, 10)}.jsonl`
    request('file', { dataType: 'text' }).then(
      (text) => preview.empty().append(createFilePreview(text, name, RED._(`${texts}.trace.shown`))),
      (response) => line.text(describeRequestFailure(response)),
    )
  })
  // jQuery UI triggers `remove` when the dialog closes.
  record.on('remove', () => clearTimeout(timer))
  record.prop('disabled', false)
  act('look').then(() => {
    if (state === 'recording') record.closest('details').prop('open', true)
  })
}

import { postForm } from '../admin-requests.mjs'
import { describeRequestFailure } from '../failure-message.mjs'
import { clearMarks, markFields } from '../field-marks.mjs'
import { createFindingItem } from './check-finding.mjs'
import { createDiagnosticsPreview } from './diagnostics-preview.mjs'

/**
 * Makes a button start a check and stop it; closing the dialog stops the check too.
 * @param begin returns the check, see `startCheck`, or nothing
 */
export function bindCheckButton(button, begin) {
  let running
  const label = button.find('span')
  const stop = () => running?.stop()
  button.on('click', () => {
    if (running) return stop()
    clearMarks()
    const check = begin()
    if (!check) return
    const idle = label.text()
    label.text(RED._('@keyholder/node-red-alarm-panel/keyholder:account.label.stop'))
    running = startCheck({ ...check, button }, () => {
      running = undefined
      label.text(idle)
    })
  })
  // jQuery UI triggers `remove` when the dialog closes.
  button.on('remove', stop)
  button.prop('disabled', false)
}

/**
 * Sends a form to Node-RED to be checked, and shows each finding in `list` as it arrives.
 * @param check.kind of the node, `account`, `cluster` or `panel`
 * @param check.id of the node
 * @param check.form the unsaved values
 * @param check.list element that shows the findings
 * @param check.showPanels see `createFindingItem`
 * @param check.route `check`, or `diagnostics`
 * @param check.preview element that shows the diagnostics file
 * @param check.goal the step whose result stays; of the others, only a failure does
 * @param check.button the button that was pressed
 * @param onEnd called at the end, also after a failure
 */
function startCheck({ kind, id, form, list, showPanels, route = 'check', preview, goal, button }, onEnd) {
  let read = 0
  list.empty()
  preview?.empty()
  const show = (finding) => {
    const item = createFindingItem(kind, finding, showPanels)
    const known = list.children().filter((_, item) => item.dataset.step === finding.step)
    if (known.length) known.replaceWith(item)
    else list.append(item)
    if (finding.state === 'failed') {
      const text = item.children('div').attr('id', `${list.attr('id')}-failure`)
      markFields(finding.fields, text, button)
    }
    if (finding.file) preview.append(createDiagnosticsPreview(finding.file))
  }
  const showLines = (text) => {
    for (let end = text.indexOf('\n', read); end >= 0; end = text.indexOf('\n', read)) {
      show(JSON.parse(text.slice(read, end)))
      read = end + 1
    }
  }
  const request = postForm(
    { kind, id, route },
    { ...form, goal },
    {
      dataType: 'text',
      xhr() {
        const xhr = $.ajaxSettings.xhr()
        xhr.onprogress = () => showLines(xhr.responseText)
        return xhr
      },
    },
  )
  request.done((text) => {
    showLines(text)
    if (goal) list.children('.keyholder-done').not(`[data-step="${goal}"]`).remove()
  })
  request.fail((response) => {
    if (response.statusText === 'abort') return
    list.append($('<li class="keyholder-failed">').text(describeRequestFailure(response)))
  })
  request.always(() => {
    list.children('.keyholder-running').remove()
    onEnd()
  })
  return { stop: () => request.abort() }
}

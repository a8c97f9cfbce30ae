import { postForm } from './admin-requests.mjs'
import { createFindingItem } from './check-finding.mjs'
import { createDiagnosticsPreview } from './diagnostics-preview.mjs'
import { describeRequestFailure } from './failure-message.mjs'

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
    const check = begin()
    if (!check) return
    const idle = label.text()
    label.text(RED._('@keyholder/node-red-alarm-panel/account:account.label.stop'))
    running = startCheck(check, () => {
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
 * @param check.kind of the node, `account` or `panel`
 * @param check.id of the node
 * @param check.form the unsaved values
 * @param check.list element that shows the findings
 * @param check.pick see `createFindingItem`
 * @param check.route `check`, or `diagnostics`
 * @param check.preview element that shows the diagnostics file
 * @param check.brief true to keep only the last step if all steps passed
 * @param onEnd called at the end, also after a failure
 */
function startCheck({ kind, id, form, list, pick, route = 'check', preview, brief }, onEnd) {
  let read = 0
  list.empty()
  preview?.empty()
  const show = (finding) => {
    const known = list.children().filter((_, item) => item.dataset.step === finding.step)
    if (known.length) known.replaceWith(createFindingItem(finding, pick))
    else list.append(createFindingItem(finding, pick))
    if (finding.file) preview.append(createDiagnosticsPreview(finding.file))
  }
  const showLines = (text) => {
    for (let end = text.indexOf('\n', read); end >= 0; end = text.indexOf('\n', read)) {
      show(JSON.parse(text.slice(read, end)))
      read = end + 1
    }
  }
  const request = postForm({ kind, id, route }, form, {
    dataType: 'text',
    xhr() {
      const xhr = $.ajaxSettings.xhr()
      xhr.onprogress = () => showLines(xhr.responseText)
      return xhr
    },
  })
  request.done((text) => {
    showLines(text)
    if (brief && !list.children('.keyholder-failed').length) list.children().slice(0, -1).remove()
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

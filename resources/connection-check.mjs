import { postForm } from './admin-requests.mjs'
import { findingItem } from './check-finding.mjs'
import { refusal } from './failure-message.mjs'

/**
 * Sends a form to Node-RED to be checked, and shows each finding in `list` as it arrives.
 * @param what.kind of the node, `account` or `panel`
 * @param what.id of the node
 * @param what.form the unsaved values
 * @param what.list element that shows the findings
 * @param what.pick see `findingItem`
 * @param what.brief true to keep only the last step if all steps passed
 * @param over called at the end, also after a failure
 */
export function check({ kind, id, form, list, pick, brief }, over) {
  let heard = 0
  list.empty()
  const show = (finding) => {
    const known = list.children().filter((_, one) => one.dataset.step === finding.step)
    if (known.length) known.replaceWith(findingItem(finding, pick))
    else list.append(findingItem(finding, pick))
  }
  const listen = (text) => {
    for (let end = text.indexOf('\n', heard); end >= 0; end = text.indexOf('\n', heard)) {
      show(JSON.parse(text.slice(heard, end)))
      heard = end + 1
    }
  }
  const request = postForm({ kind, id, route: 'check' }, form, {
    dataType: 'text',
    xhr() {
      const xhr = $.ajaxSettings.xhr()
      xhr.onprogress = () => listen(xhr.responseText)
      return xhr
    },
  })
  request.done((text) => {
    listen(text)
    if (brief && !list.children('.keyholder-failed').length) list.children().slice(0, -1).remove()
  })
  request.fail((response) => {
    if (response.statusText === 'abort') return
    list.append($('<li class="keyholder-failed">').text(refusal(response)))
  })
  request.always(() => {
    list.children('.keyholder-running').remove()
    over()
  })
  return { stop: () => request.abort() }
}

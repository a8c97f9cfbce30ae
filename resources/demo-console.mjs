import { postForm } from './admin-requests.mjs'
import { describeRequestFailure } from './failure-message.mjs'

const account = '@keyholder/node-red-alarm-panel/keyholder:account'

/**
 * Makes a button open the console page of an account's demo in a new tab.
 * @param problem list that shows why it does not open
 */
export function bindConsoleButton(button, id, problem) {
  const showProblem = (text) => problem.append($('<li class="keyholder-failed">').text(text))
  button.on('click', () => {
    problem.empty()
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
  })
  button.prop('disabled', false)
}

import { check } from './connection-check.mjs'

/**
 * Makes a button start a check and stop it; closing the dialog stops the check too.
 * @param begin returns the check, see `check`, or nothing
 */
export function checkButton(button, begin) {
  let running
  const label = button.find('span')
  const stop = () => running?.stop()
  button.on('click', () => {
    if (running) return stop()
    const what = begin()
    if (!what) return
    const idle = label.text()
    label.text(RED._('@keyholder/node-red-alarm-panel/account:account.label.stop'))
    running = check(what, () => {
      running = undefined
      label.text(idle)
    })
  })
  // jQuery UI triggers `remove` when the dialog closes.
  button.on('remove', stop)
  button.prop('disabled', false)
}

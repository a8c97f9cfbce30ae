import { check } from './check.mjs'

/**
 * Brings a button to life that begins a check and ends it; closing the dialog ends it too.
 * @param begin gives what is checked, see `check`, or nothing
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
  // Told by jQuery UI when the dialog goes.
  button.on('remove', stop)
  button.prop('disabled', false)
}

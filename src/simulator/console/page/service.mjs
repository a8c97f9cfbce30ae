import { byId, element, setOptions, setText, updateChildren } from './element.mjs'
import { say } from './texts.mjs'

/** Shows the active faults of the service and the credentials. */
export function showService({ faults, operations, running, account }, runAction) {
  setOptions(
    byId('fault'),
    faults.map((name) => [name, name]),
  )
  setOptions(byId('operation'), [['', say('all operations')], ...operations.map((name) => [name, name])])
  byId('no-faults').hidden = running.length > 0
  byId('clear-faults').hidden = running.length < 2
  updateChildren(byId('running'), running, ({ name, operation }) => {
    const where = operation || say('all operations')
    const off = element('button', {
      type: 'button',
      textContent: say('Turn off'),
      'aria-label': say('Turn off {name} for {where}', { name, where }),
      onclick: async ({ target }) => {
        await runAction('fault', { fault: name, operation, on: false })
        keepFocus(target)
      },
    })
    const what = element('span', {}, element('b', { textContent: name }), ` ${say('for {where}', { where })}`)
    return element('li', {}, what, off)
  })
  const credentials = [
    [say('Base address'), account.url],
    [say('E-mail'), account.email],
    [say('Password'), account.password],
    [say('User code'), account.userCode],
  ]
  updateChildren(byId('credentials'), credentials, ([name, value]) =>
    element('div', {}, element('dt', { textContent: name }), element('dd', { textContent: value })),
  )
}

/**
 * Moves the focus to the list of faults if the button was removed; otherwise the browser moves it to the
 * start of the page.
 */
function keepFocus(button) {
  if (!button.isConnected || button.hidden) byId('fault').focus()
}

/** Shows the latest requests, newest first. */
export function showRequests(requests) {
  byId('no-requests').hidden = requests.length > 0
  byId('log').hidden = requests.length === 0
  updateChildren(byId('log').tBodies[0], requests, ({ time, method, path, status }) => {
    const statusCell = element('td', {
      className: 'status',
      textContent: status === 0 ? say('waiting') : String(status),
    })
    statusCell.dataset.kind = status === 0 ? 'none' : status < 400 ? 'good' : 'bad'
    return element(
      'tr',
      {},
      element('td', { textContent: new Date(time).toLocaleTimeString('en-GB') }),
      element('td', { textContent: method }),
      // A phone breaks it between words.
      element(
        'td',
        { className: 'path' },
        ...path.split(/(?<=[/_])/).flatMap((word) => [word, element('wbr')]),
      ),
      statusCell,
    )
  })
}

/** Adds the handlers of the switches for faults and tokens. */
export function addServiceHandlers(runAction) {
  byId('fault-form').onsubmit = (event) => {
    event.preventDefault()
    void runAction('fault', { fault: byId('fault').value, operation: byId('operation').value, on: true })
  }
  byId('clear-faults').onclick = async ({ target }) => {
    await runAction('no-faults', {})
    keepFocus(target)
  }
  byId('expire-sessions').onclick = () => runAction('expire', { tokens: 'sessions' })
  byId('expire-users').onclick = () => runAction('expire', { tokens: 'users' })
}

/** Shows the time of the simulated world and its speed. */
export function showClock({ time, speed }) {
  setText(byId('time'), `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`)
  const speeds = [...new Set([0.1, 1, 2, 5, 10, 60, 600, speed])].sort((one, other) => one - other)
  setOptions(
    byId('speed'),
    speeds.map((choice) => [String(choice), `${choice} ×`]),
  )
  // Not while the user is choosing.
  if (document.activeElement !== byId('speed')) byId('speed').value = String(speed)
}

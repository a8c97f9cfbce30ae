import { byId, element, setOptions } from './element.mjs'
import { say } from './texts.mjs'

/** The labels of the options, by name. */
const labels = {
  abortTime: say('Alarms are reported after'),
  cancelWindow: say('A disarm cancels an alarm for'),
  exitMode: say('The exit delay ends'),
  bypassMode: say('Open zones'),
  keepsBypass: say('A bypass outlives the disarm'),
  swingerStop: say('A zone is bypassed by the panel'),
  notReadyBy: say('It is not ready by'),
  reports: say('It reports to the service'),
}

/** The words for values; those of numbers and of yes and no are made. */
const words = {
  normal: say('after its time'),
  restart: say('later, if somebody comes back'),
  'restart-or-home': say('armed at home, if nobody leaves'),
  'end-by-exit': say('when a door is closed'),
  manual: say('can be bypassed'),
  'force-arm': say('are bypassed by the panel'),
  zones: say('open zones'),
  radio: say('open zones, jamming, missing devices'),
  troubles: say('these and troubles of its own'),
  all: say('everything'),
  'all-but-open-close': say('all but armings'),
  alarms: say('alarms only'),
}

/** The word for the value `none`, by option. */
const none = { bypassMode: say('are in the way'), reports: say('nothing') }

/** Shows what the installer of a panel has set, each option with its possible values. */
export function showOptions({ serial, options }, runAction) {
  const list = byId('options')
  if (list.dataset.serial !== serial) {
    list.dataset.serial = serial
    list.replaceChildren(...options.map(({ name, values }) => createRow(serial, name, values, runAction)))
  }
  for (const { name, value } of options) {
    const select = byId(`option-${name}`)
    // Whoever is choosing is not disturbed.
    if (document.activeElement !== select) select.value = String(value)
  }
}

function createRow(serial, name, values, runAction) {
  const id = `option-${name}`
  const select = element('select', { id })
  setOptions(
    select,
    values.map((value) => [String(value), describe(name, value)]),
  )
  select.onchange = () =>
    runAction('option', {
      panel: serial,
      option: name,
      value: values.find((one) => String(one) === select.value),
    })
  return element(
    'div',
    {},
    element('dt', {}, element('label', { htmlFor: id, textContent: labels[name] ?? name })),
    element('dd', {}, select),
  )
}

function describe(name, value) {
  if (typeof value === 'boolean') return value ? say('yes') : say('no')
  if (name === 'swingerStop')
    return value === 0 ? say('never') : say('after {count} alarms of an arming', { count: value })
  if (typeof value === 'number') return `${value} s`
  return value === 'none' ? none[name] : (words[value] ?? value)
}

import { byId, element, setText, updateChildren } from './element.mjs'
import { showOptions } from './options.mjs'
import { say } from './texts.mjs'

const modes = [
  ['AWAY', say('Away')],
  ['HOME', say('Home')],
  ['DISARM', say('Disarm')],
]

/** Label and name of a zone's first switch, by the kind of the zone. */
const switchLabels = {
  contact: [say('Open'), '{name}: open'],
  hazard: [say('Alarm'), '{name}: alarm'],
}

/** The buttons that trigger an alarm. */
const alarmLabels = {
  intrusion: say('Intrusion'),
  panic: say('Panic'),
  fire: say('Fire'),
  flood: say('Flood'),
}

/** Kinds of alarms, by the words of the service. */
const alarmWords = {
  BURGLER: say('burglary'),
  PANIC: say('panic'),
  FIRE: say('fire'),
  EMERGENCY: say('emergency'),
  FLOOD_ALERT: say('water'),
  GAS_ALERT: say('gas'),
}

let panel
let updatePanel = () => {}

/** Shows one panel: its partitions with their keypads, the available alarms, and its zones. */
export function showPanel(shown, runAction) {
  panel = shown
  // Rows are created once for each panel and then updated, so that they keep the focus.
  const { serial, partitions, zones, alarms } = shown
  const structure = [serial, partitions.map(({ id }) => id), zones.map(({ number }) => number)]
  updateChildren(byId('alarms'), [[serial, ...alarms]], () => createAlarmButtons(alarms, runAction))
  updateChildren(byId('partitions'), [['partitions', ...structure]], () => {
    const keypads = partitions.map((partition) => createKeypad(partition, runAction))
    const rows = zones.map((zone) => createZoneRow(zone, runAction))
    byId('zones').replaceChildren(...rows.map(({ row }) => row))
    updatePanel = () => {
      for (const [index, { show }] of keypads.entries()) show(panel.partitions[index])
      for (const [index, { show }] of rows.entries()) show(panel.zones[index])
    }
    return element('div', { className: 'keypads' }, ...keypads.map(({ card }) => card))
  })
  byId('online').checked = panel.online
  byId('jammed').checked = panel.jammed
  byId('power-cut').checked = panel.powerCut
  showOptions(panel, runAction)
  showHousehold(panel.household)
  updatePanel()
}

/** Shows the household's switch and its plan; not as a live region, because it counts down. */
function showHousehold(plan) {
  byId('household').hidden = plan === null
  if (plan === null) return
  byId('household-on').checked = plan.isOn
  setText(byId('household-plan'), describePlan(plan))
}

function describePlan({ isOn, isBusy, next, seconds }) {
  if (!isOn) return say('Off: nothing happens by itself.')
  if (isBusy) return say('Now: {next}. It makes way for you if you act.', { next: say(next) })
  // In steps, so that the text is calm.
  const wait =
    seconds < 60 ? `${Math.max(5, Math.ceil(seconds / 5) * 5)} s` : `${Math.ceil(seconds / 60)} min`
  return say('Next, in {wait}: {next}.', { wait, next: say(next) })
}

function createAlarmButtons(alarms, runAction) {
  const buttons = alarms.map((alarm) =>
    element('button', {
      type: 'button',
      className: 'danger',
      textContent: alarmLabels[alarm],
      onclick: () => runAction('alarm', { panel: panel.serial, alarm }),
    }),
  )
  return element('div', { className: 'buttons' }, ...buttons)
}

function createKeypad({ id, name }, runAction) {
  const state = element('p', { className: 'state' })
  const note = element('p', { className: 'quiet' })
  const buttons = modes.map(([to, label]) => {
    const button = element('button', { type: 'button', textContent: label })
    button.onclick = () => runAction('keypad', { panel: panel.serial, partition: id, to })
    return { to, button }
  })
  const card = element(
    'div',
    { className: 'keypad', role: 'group', 'aria-label': say('{name}, keypad', { name }) },
    element('h3', { textContent: name }),
    state,
    element('div', { className: 'keys' }, ...buttons.map(({ button }) => button)),
    note,
  )
  const show = (partition) => {
    const { alarms } = partition
    card.dataset.state = alarms.length > 0 ? 'ALARM' : partition.leaving ? 'LEAVING' : partition.state
    setText(state, describeState(partition))
    setText(
      note,
      alarms.length > 0
        ? alarms.map(({ name, word }) => `${name} (${alarmWords[word] ?? word})`).join(', ')
        : partition.ready
          ? say('Ready')
          : say('Not ready: a zone is open, or a trouble is in the way'),
    )
    for (const { to, button } of buttons) button.setAttribute('aria-pressed', String(to === partition.state))
  }
  return { card, show }
}

function describeState({ state, leaving, alarms }) {
  if (alarms.length > 0) return say('Alarm')
  const words = {
    AWAY: say('Armed away'),
    HOME: say('Armed at home'),
    DISARM: say('Disarmed'),
    ENTRY_DELAY: say('Entry delay'),
  }
  return leaving ? `${words[state]}, ${say('exit delay')}` : (words[state] ?? say('Programming'))
}

function createZoneRow({ number, name, type, kind }, runAction) {
  const toggle = (label, described, send) => {
    const input = element('input', { type: 'checkbox', 'aria-label': described })
    input.onchange = () => send(input.checked)
    return { input, field: element('label', {}, input, ` ${label}`) }
  }
  const at = () => ({ panel: panel.serial, zone: number })
  const [switchLabel, described] = switchLabels[kind] ?? ['', '']
  const open = toggle(switchLabel, say(described, { name }), (on) =>
    runAction('zone', { ...at(), does: on ? 'open' : 'close' }),
  )
  const tamper = toggle(say('Tamper'), say('{name}: tamper', { name }), (on) =>
    runAction('tamper', { ...at(), on }),
  )
  const battery = toggle(say('Low battery'), say('{name}: low battery', { name }), (on) =>
    runAction('battery', { ...at(), on }),
  )
  const missing = toggle(say('Missing'), say('{name}: missing', { name }), (on) =>
    runAction('missing', { ...at(), on }),
  )
  const trigger = element('button', {
    type: 'button',
    textContent: say('Trigger'),
    'aria-label': say('{name}: trigger', { name }),
  })
  trigger.onclick = () => runAction('zone', { ...at(), does: 'trigger' })
  const first = switchLabel ? [open.field] : kind === 'motion' ? [trigger] : [element('span')]
  const note = element('span', { className: 'badge' })
  const row = element(
    'li',
    {},
    element(
      'div',
      { className: 'name' },
      element('b', { textContent: `${number} ${name}` }),
      element('span', { className: 'quiet', textContent: say(type.replaceAll('_', ' ').toLowerCase()) }),
      note,
    ),
    element('div', { className: 'toggles' }, ...first, tamper.field, battery.field, missing.field),
  )
  const show = (zone) => {
    open.input.checked = zone.open
    tamper.input.checked = zone.tamper
    battery.input.checked = zone.lowBattery
    missing.input.checked = zone.missing
    row.dataset.alarm = String(zone.alarm)
    setText(note, zone.alarm ? say('alarm') : zone.bypassed ? say('bypassed') : '')
  }
  return { row, show }
}

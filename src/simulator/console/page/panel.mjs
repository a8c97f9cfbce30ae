import { byId, element, remake, setText } from './element.mjs'

const modes = [
  ['AWAY', 'Away'],
  ['HOME', 'Home'],
  ['DISARM', 'Disarm'],
]

/** Label of a zone's first switch, by the kind of the zone. */
const disturbances = { contact: 'Open', hazard: 'Alarm' }

let panel
let showNow = () => {}

/** Shows one panel: its partitions with their keypads, the available alarms, and its zones. */
export function showPanel(shown, act) {
  panel = shown
  // Rows are created once for each panel and then updated, so that they keep the focus.
  const { serial, partitions, zones, alarms } = shown
  const outline = [serial, partitions.map(({ id }) => id), zones.map(({ number }) => number)]
  remake(byId('alarms'), [[serial, ...alarms]], () => alarmButtons(alarms, act))
  remake(byId('partitions'), [['partitions', ...outline]], () => {
    const keypads = partitions.map((partition) => keypad(partition, act))
    const rows = zones.map((zone) => zoneRow(zone, act))
    byId('zones').replaceChildren(...rows.map(({ row }) => row))
    showNow = () => {
      for (const [index, { show }] of keypads.entries()) show(panel.partitions[index])
      for (const [index, { show }] of rows.entries()) show(panel.zones[index])
    }
    return element('div', { className: 'keypads' }, ...keypads.map(({ card }) => card))
  })
  byId('online').checked = panel.online
  showNow()
}

function alarmButtons(alarms, act) {
  const buttons = alarms.map((alarm) =>
    element('button', {
      type: 'button',
      className: 'danger',
      textContent: alarm[0].toUpperCase() + alarm.slice(1),
      onclick: () => act('alarm', { panel: panel.serial, alarm }),
    }),
  )
  return element('div', { className: 'buttons' }, ...buttons)
}

function keypad({ id, name }, act) {
  const state = element('p', { className: 'state' })
  const note = element('p', { className: 'quiet' })
  const buttons = modes.map(([to, label]) => {
    const button = element('button', { type: 'button', textContent: label })
    button.onclick = () => act('keypad', { panel: panel.serial, partition: id, to })
    return { to, button }
  })
  const card = element(
    'div',
    { className: 'keypad', role: 'group', 'aria-label': `${name}, keypad` },
    element('h3', { textContent: name }),
    state,
    element('div', { className: 'keys' }, ...buttons.map(({ button }) => button)),
    note,
  )
  const show = (partition) => {
    const { alarms } = partition
    card.dataset.state = alarms.length > 0 ? 'ALARM' : partition.leaving ? 'LEAVING' : partition.state
    setText(state, stateInWords(partition))
    setText(
      note,
      alarms.length > 0 ? alarms.join(', ') : partition.ready ? 'Ready' : 'Not ready: a zone is open',
    )
    for (const { to, button } of buttons) button.setAttribute('aria-pressed', String(to === partition.state))
  }
  return { card, show }
}

function stateInWords({ state, leaving, alarms }) {
  if (alarms.length > 0) return 'Alarm'
  const words = { AWAY: 'Armed away', HOME: 'Armed at home', DISARM: 'Disarmed', ENTRY_DELAY: 'Entry delay' }
  return leaving ? `${words[state]}, exit delay` : (words[state] ?? 'Programming')
}

function zoneRow({ number, name, type, kind }, act) {
  const toggle = (label, send) => {
    const input = element('input', { type: 'checkbox', 'aria-label': `${name}: ${label.toLowerCase()}` })
    input.onchange = () => send(input.checked)
    return { input, field: element('label', {}, input, ` ${label}`) }
  }
  const at = () => ({ panel: panel.serial, zone: number })
  const disturbance = disturbances[kind] ?? ''
  const open = toggle(disturbance, (on) => act('zone', { ...at(), does: on ? 'open' : 'close' }))
  const tamper = toggle('Tamper', (on) => act('tamper', { ...at(), on }))
  const battery = toggle('Low battery', (on) => act('battery', { ...at(), on }))
  const trigger = element('button', {
    type: 'button',
    textContent: 'Trigger',
    'aria-label': `${name}: trigger`,
  })
  trigger.onclick = () => act('zone', { ...at(), does: 'trigger' })
  const first = disturbance ? [open.field] : kind === 'motion' ? [trigger] : [element('span')]
  const note = element('span', { className: 'badge' })
  const row = element(
    'li',
    {},
    element(
      'div',
      { className: 'name' },
      element('b', { textContent: `${number} ${name}` }),
      element('span', { className: 'quiet', textContent: type.replaceAll('_', ' ').toLowerCase() }),
      note,
    ),
    element('div', { className: 'toggles' }, ...first, tamper.field, battery.field),
  )
  const show = (zone) => {
    open.input.checked = zone.open
    tamper.input.checked = zone.tamper
    battery.input.checked = zone.lowBattery
    row.dataset.alarm = String(zone.alarm)
    setText(note, zone.alarm ? 'alarm' : zone.bypassed ? 'bypassed' : '')
  }
  return { row, show }
}

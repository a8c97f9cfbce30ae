import { describeDuration } from './duration.mjs'

const report = '@keyholder/node-red-alarm-panel/keyholder:panel'

const say = (part, values) => RED._(`${report}.report.${part}`, values)

const icons = {
  done: 'fa-check-circle',
  passed: 'fa-check-circle',
  waiting: 'fa-clock-o',
  open: 'fa-exclamation-triangle',
  failed: 'fa-times-circle',
  missed: 'fa-minus-circle',
  disabled: 'fa-ban',
}

const columns = ['node', 'state', 'first', 'done']

function nameOf({ name, type, tab }) {
  const shown = `“${name || type}”`
  return tab ? say('node', { name: shown, tab: `“${tab}”` }) : shown
}

const icon = (name) => $('<i aria-hidden="true">').addClass(`fa ${name}`)

function createFault({ kind, node, error = '', count, seconds }) {
  const values = { node: nameOf(node), error: error.replace(/\.$/, ''), count, seconds }
  const text = $('<div>').append(
    $('<div class="keyholder-title">').text(say(`fault.${kind}`, values)),
    $('<div class="keyholder-remedy">').text(say(`remedy.${kind}`)),
  )
  return $('<li class="keyholder-finding keyholder-failed">').append(icon('fa-times-circle'), text)
}

function createSummary({ findings, nodes }) {
  if (findings.length > 0) return $('<p>').text(say('some', { count: findings.length }))
  const told = nodes.filter(({ isNotification, done }) => isNotification && done !== null)
  const sentences = told.map((node) => say('told', { node: nameOf(node), seconds: node.done }))
  return $('<p class="keyholder-finding">').append(
    icon('fa-check-circle'),
    $('<div>').text([say('none'), ...sentences].join(' · ')),
  )
}

function createRow(node) {
  const time = (seconds) => (seconds === null ? '' : describeDuration(seconds))
  const tab = node.tab && $('<div class="keyholder-fact">').text(node.tab)
  const state = $('<td>').append(icon(icons[node.state]), ` ${say(`state.${node.state}`)}`)
  return $('<tr>').append(
    $('<th scope="row">')
      .text(node.name || node.type)
      .append(tab),
    state,
    $('<td>').text(time(node.first)),
    $('<td>').text(time(node.done)),
  )
}

function createTable({ nodes }) {
  const head = columns.map((column) => $('<th scope="col">').text(say(`column.${column}`)))
  return $('<table class="keyholder-report">').append(
    $('<caption>').text(say('table')),
    $('<thead>').append($('<tr>').append(head)),
    $('<tbody>').append(nodes.map(createRow)),
  )
}

/**
 * Returns the report of a rehearsal as an element for a dialog: the faults, each with its remedy, and a table of the nodes
 * that its messages reached or missed. The table scrolls by itself, and by the keyboard.
 * @param found the report, as `finish` of nodes/rehearsal/flow-report.ts returns it
 */
export function createRehearsalReport(found) {
  const reached = found.nodes.filter(({ received }) => received > 0)
  const label = say('reached', { count: reached.length, total: found.nodes.length })
  const errors = new Set(
    found.caught.map((one) => say('caught', { node: nameOf(one.catch), source: nameOf(one.source) })),
  )
  return $('<section>')
    .attr('aria-label', say('title'))
    .append(
      createSummary(found),
      $('<ol class="keyholder-check">').append(found.findings.map(createFault)),
      $('<ul>').append([...errors].map((text) => $('<li>').text(text))),
      $('<div class="keyholder-scrolled" tabindex="0" role="region">')
        .attr('aria-label', label)
        .append($('<p>').text(label), createTable(found)),
    )
}

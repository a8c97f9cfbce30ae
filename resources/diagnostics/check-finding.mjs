import { createFailureLines } from '../failure-message.mjs'
import { roleName } from '../service-words.mjs'
import { createInstanceList, createNoticeLine, nameClusterStep } from './cluster-finding.mjs'

const icons = {
  running: 'fa-circle-o-notch fa-spin',
  done: 'fa-check-circle',
  notice: 'fa-exclamation-triangle',
  failed: 'fa-times-circle',
}

function nameStep(kind, { state, step }) {
  if (kind === 'cluster') return nameClusterStep(state, step)
  return RED._(`@keyholder/node-red-alarm-panel/keyholder:account.check.${state}.${step}`)
}

function createTitle(text, { host, version, instances, operation, number, of }) {
  const progress = operation && `${operation} (${number}/${of})`
  const fact = host || version || progress || instances?.length.toString()
  return $('<div class="keyholder-title">')
    .text(text)
    .append(fact && $('<span class="keyholder-fact">').text(fact))
}

/** Returns what there is to read about a panel. */
export function createPanelText({ alias, serial, role, model }, ...facts) {
  const known = [alias ? serial : '', roleName(role), model, ...facts].filter(Boolean).join(' · ')
  return [
    $('<strong>').text(alias || serial),
    $('<span class="keyholder-fact">').text(known).attr('title', role),
  ]
}

function createLines(kind, finding) {
  const text = nameStep(kind, finding)
  if (finding.state === 'failed') return createFailureLines(text, finding)
  const lines = [createTitle(text, finding)]
  if (finding.state === 'notice') lines.push(createNoticeLine(finding))
  return lines
}

/**
 * Returns the result of one step of a check as a list item.
 * @param kind of the node whose dialog checks
 * @param showPanels returns an element for the panels found
 */
export function createFindingItem(kind, finding, showPanels) {
  const { state, step, panels = [], instances = [] } = finding
  const text = $('<div>').append(createLines(kind, finding))
  if (instances.length) text.append(createInstanceList(instances))
  if (panels.length) text.append(showPanels(panels))
  const icon = $('<i aria-hidden="true">').addClass(`fa ${icons[state]}`)
  return $('<li>').addClass(`keyholder-finding keyholder-${state}`).attr('data-step', step).append(icon, text)
}

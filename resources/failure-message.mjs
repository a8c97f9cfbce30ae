import { describeDuration } from './duration.mjs'
import { isInDialog } from './field-marks.mjs'

const account = '@keyholder/node-red-alarm-panel/keyholder:account'
const panel = '@keyholder/node-red-alarm-panel/keyholder:panel'
const cluster = '@keyholder/node-red-alarm-panel/keyholder:cluster'

const fieldsOfPanel = ['account', 'serial', 'userCode']
const fieldsOfCluster = ['address', 'master', 'username', 'clusterName', 'instance']

const line = (kind, text) => $('<div>').addClass(`keyholder-${kind}`).text(text)

function labelOf(place) {
  const field = place.replace('cluster.', '')
  if (field !== place || fieldsOfCluster.includes(field)) return RED._(`${cluster}.label.${field}`)
  return fieldsOfPanel.includes(field) ? RED._(`${panel}.label.${field}`) : RED._(`${account}.label.${field}`)
}

/** Returns a text for an error; those about a cluster are in its own file. */
function sayText(text, values) {
  return text.startsWith('cluster.')
    ? RED._(`@keyholder/node-red-alarm-panel/keyholder:${text}`, values)
    : RED._(`${account}.${text}`, values)
}

/** Returns the sentences about a failure; the English one only if there is no text in the language of the editor. */
function describe({ text, message, fields, values = {}, pause }) {
  const { languages, seconds = 0 } = values
  const label = fields.length > 0 ? labelOf(fields[0]) : ''
  const sentences = text
    ? [sayText(text, { ...values, label, time: describeDuration(seconds) })]
    : [RED._(`${account}.finding.details`, { message })]
  if (languages) sentences.push(RED._(`${account}.finding.languages`, { languages }))
  if (text && pause) sentences.push(RED._(`${account}.finding.pause`, { time: describeDuration(pause) }))
  return sentences
}

function describeTitle(what, { code, text }) {
  if (text === 'finding.noService') return RED._(`${account}.check.failed.service`)
  return text ? what : `${what}: ${RED._(`${account}.status.error.${code}`)}`
}

/** Returns the lines that describe a failure: what failed and why, and the remedy. */
export function createFailureLines(what, failure) {
  const { fields, command } = failure
  const lines = [line('title', describeTitle(what, failure)), line('remedy', describe(failure).join(' '))]
  if (command) lines.push(line('command', command))
  if (isInDialog('account') && fields.some((field) => !field.includes('.') && !isInDialog(field)))
    lines.push(line('remedy', RED._(`${panel}.tip.inAccount`)))
  return lines
}

/** Returns the text for a request that Node-RED itself did not answer. */
export function describeRequestFailure({ status }) {
  return status === 401 || status === 403
    ? RED._(`${account}.check.noRight`)
    : RED._(`${account}.check.noAnswer`)
}

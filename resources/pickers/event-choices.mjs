import { groupName, labelName } from '../service-words.mjs'

/** The groups in the order of the form; unknown groups follow. */
const order = [
  'EP_ALARM',
  'EP_DURESS',
  'EP_ALERT',
  'EP_RESTORE',
  'EP_OPEN_CLOSE',
  'EP_ONLINE',
  'EP_OFFLINE',
  'EP_NOTICE',
]

const unique = (values) => [...new Set(values)]
const rank = (group) => (order.includes(group) ? order.indexOf(group) : order.length)

function createTypeLeaf({ typeId, description, label }) {
  const family = label === 'NONE' ? '' : ` · ${labelName(label)}`
  return { word: String(typeId), label: description, sublabel: typeId + family }
}

/** Returns the event types as a tree: by group. */
export function listEventTypes({ catalogue = [] }) {
  return unique(catalogue.map(({ group }) => group))
    .toSorted((one, other) => rank(one) - rank(other))
    .map((name) => ({
      label: groupName(name),
      children: catalogue.filter(({ group }) => group === name).map(createTypeLeaf),
    }))
}

/** Returns the event labels as leaves of a tree by name, each with the texts of its types as details. */
export function listEventLabels({ catalogue = [] }) {
  const textsOf = (label) =>
    unique(catalogue.filter((type) => type.label === label).map(({ description }) => description))
  return unique(catalogue.map(({ label }) => label))
    .map((label) => {
      const name = labelName(label)
      const sublabel = name === label ? '' : label
      return { word: label, label: name, sublabel, details: textsOf(label).join(', ') }
    })
    .toSorted((one, other) => one.label.localeCompare(other.label))
}

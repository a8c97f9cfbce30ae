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

/** Maximum number of texts that illustrate a label. */
const maxTexts = 3

const unique = (values) => [...new Set(values)]
const rank = (group) => (order.includes(group) ? order.indexOf(group) : order.length)

function groupName(group) {
  return RED._(`@keyholder/node-red-alarm-panel/events:events.group.${group}`, { defaultValue: group })
}

function createTypeLeaf({ typeId, description, label }) {
  const family = label === 'NONE' ? '' : `${label} · `
  return { word: String(typeId), label: description, sublabel: family + typeId }
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

/** Returns the event labels as leaves of a tree, each with some of its texts. */
export function listEventLabels({ catalogue = [] }) {
  return unique(catalogue.map(({ label }) => label))
    .toSorted()
    .map((label) => {
      const texts = unique(
        catalogue.filter((type) => type.label === label).map(({ description }) => description),
      )
      const more = texts.length > maxTexts ? ' …' : ''
      return { word: label, label, sublabel: texts.slice(0, maxTexts).join(' · ') + more }
    })
}

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

/** Number of texts that illustrate a label. */
const shownTexts = 3

const unique = (values) => [...new Set(values)]
const rank = (group) => (order.includes(group) ? order.indexOf(group) : order.length)

function groupWord(group) {
  return RED._(`@keyholder/node-red-alarm-panel/events:events.group.${group}`, { defaultValue: group })
}

function typeLeaf({ typeId, description, label }) {
  const family = label === 'NONE' ? '' : `${label} · `
  return { word: String(typeId), label: description, sublabel: family + typeId }
}

/** Returns the event types as a choice tree: by group. */
export function typeTree({ catalogue = [] }) {
  return unique(catalogue.map(({ group }) => group))
    .toSorted((one, other) => rank(one) - rank(other))
    .map((name) => ({
      label: groupWord(name),
      children: catalogue.filter(({ group }) => group === name).map(typeLeaf),
    }))
}

/** Returns the event labels as leaves of a choice tree, each with some of its texts. */
export function labelTree({ catalogue = [] }) {
  return unique(catalogue.map(({ label }) => label))
    .toSorted()
    .map((label) => {
      const texts = unique(
        catalogue.filter((type) => type.label === label).map(({ description }) => description),
      )
      const more = texts.length > shownTexts ? ' …' : ''
      return { word: label, label, sublabel: texts.slice(0, shownTexts).join(' · ') + more }
    })
}

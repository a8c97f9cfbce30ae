const choices = '@keyholder/node-red-alarm-panel/panel:panel.choices'

const wholePanel = -1

function nameOf({ id, name }) {
  return name || (id === wholePanel ? RED._(`${choices}.wholePanel`) : RED._(`${choices}.partition`, { id }))
}

/** The partitions of a panel as branches and leaves of a choice tree. */
export function partitionTree({ partitions = [] }) {
  return partitions.map((partition) => ({
    word: String(partition.id),
    label: nameOf(partition),
    sublabel: String(partition.id),
  }))
}

/** The same for a command: it can always be for the panel as a whole. */
export function commandedTree({ partitions = [] }) {
  const isThere = partitions.some(({ id }) => id === wholePanel)
  return partitionTree({ partitions: isThere ? partitions : [{ id: wholePanel, name: '' }, ...partitions] })
}

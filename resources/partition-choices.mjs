const choices = '@keyholder/node-red-alarm-panel/panel:panel.choices'

const wholePanel = -1

function nameOf({ id, name }) {
  return name || (id === wholePanel ? RED._(`${choices}.wholePanel`) : RED._(`${choices}.partition`, { id }))
}

/** Returns the partitions of a panel as leaves of a choice tree. */
export function partitionTree({ partitions = [] }) {
  return partitions.map((partition) => ({
    word: String(partition.id),
    label: nameOf(partition),
    sublabel: String(partition.id),
  }))
}

/** Returns the same for a command, which can always apply to the whole panel. */
export function commandedTree({ partitions = [] }) {
  const isThere = partitions.some(({ id }) => id === wholePanel)
  return partitionTree({ partitions: isThere ? partitions : [{ id: wholePanel, name: '' }, ...partitions] })
}

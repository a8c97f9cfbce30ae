const choices = '@keyholder/node-red-alarm-panel/panel:panel.choices'

function nameOf({ id, name }) {
  return name || (id === -1 ? RED._(`${choices}.wholePanel`) : RED._(`${choices}.partition`, { id }))
}

/** The partitions of a panel as branches and leaves of a choice tree. */
export function partitionTree({ partitions = [] }) {
  return partitions.map((partition) => ({
    word: String(partition.id),
    label: nameOf(partition),
    sublabel: String(partition.id),
  }))
}

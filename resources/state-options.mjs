const unique = (values) => [...new Set(values)]

/** Returns the partitions that a command applies to: the one with this id, or all if there is none. */
function meant(partitions, id) {
  const named = partitions.filter((partition) => String(partition.id) === id)
  return named.length > 0 ? named : partitions
}

/**
 * Returns the options of states as leaves of a choice tree, each with the states that accept it.
 * @param chosen.state shows only its options; if the panel does not have this state, those of all states
 * @param chosen.partition id as typed; for the whole panel, all partitions must offer the option
 */
export function optionTree({ partitions = [] }, { state, partition }) {
  const all = meant(partitions, partition).map(({ states }) => states)
  const isOffered = (option, name) =>
    all.every((states) => states.some((one) => one.name === name && one.options.includes(option)))
  const names = unique(all.flat().map(({ name }) => name))
  const options = unique(all.flat().flatMap(({ options }) => options))
  return options.flatMap((option) => {
    const takers = names.filter((name) => isOffered(option, name))
    const isMeant = takers.includes(state) || (takers.length > 0 && !names.includes(state))
    return isMeant ? [{ word: option, label: option, sublabel: takers.join(' · ') }] : []
  })
}

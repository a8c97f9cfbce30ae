const unique = (values) => [...new Set(values)]

/** The partitions that a command would be for: all of them unless it names one that is there. */
function meant(partitions, id) {
  const named = partitions.filter((partition) => String(partition.id) === id)
  return named.length > 0 ? named : partitions
}

/**
 * The options of states as leaves of a choice tree, each with the states that take it.
 * @param chosen.state of which they are; those of all states where it is none that the panel has
 * @param chosen.partition id as it is typed; what is for the whole panel must be offered by all
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

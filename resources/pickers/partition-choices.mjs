import { optionName, stateName } from '../service-words.mjs'

const choices = '@keyholder/node-red-alarm-panel/keyholder:panel.choices'

const command = '@keyholder/node-red-alarm-panel/keyholder:command'

const wholePanel = -1

const unique = (values) => [...new Set(values)]

/** Returns the name of the whole panel for its id; undefined for others. */
export function wholePanelName(word) {
  return word === String(wholePanel) ? RED._(`${choices}.wholePanel`) : undefined
}

/** The service's name for the whole panel. */
const wholePanelWord = 'ALL'

function nameOf({ id, name }) {
  const own = id === wholePanel && name === wholePanelWord ? '' : name
  return own || wholePanelName(String(id)) || RED._(`${choices}.partition`, { id })
}

/** Returns the partitions of a panel as leaves of a tree. */
export function listPartitions({ partitions = [] }) {
  return partitions.map((partition) => {
    const word = String(partition.id)
    const label = nameOf(partition)
    const { name } = partition
    return { word, label, sublabel: label === name ? word : [name, word].filter(Boolean).join(' · ') }
  })
}

/** Returns the partitions for a command, which can always apply to the whole panel. */
export function listCommandPartitions({ partitions = [] }) {
  const hasWholePanel = partitions.some(({ id }) => id === wholePanel)
  return listPartitions({
    partitions: hasWholePanel ? partitions : [{ id: wholePanel, name: '' }, ...partitions],
  })
}

/** Returns the partitions that a command applies to: the one with this id, otherwise all of them. */
function selectPartitions(partitions, id) {
  const selected = partitions.filter((partition) => String(partition.id) === id)
  return selected.length > 0 ? selected : partitions
}

/** The states of a panel that does not describe its own: the table of interface specification 3. */
const commonStates = ['AWAY', 'HOME', 'DISARM']

/**
 * Returns the states that a command can request as leaves of a tree, after the choice to take it from the message.
 * @param id of the partition as typed; for the whole panel, all partitions must offer the state
 */
export function listStates({ partitions = [] }, id) {
  const sets = selectPartitions(partitions, id)
    .map(({ states }) => states.map(({ name }) => name))
    .filter((names) => names.length > 0)
  const [names = commonStates, ...others] = sets
  const offered = names.filter((name) => others.every((set) => set.includes(name)))
  const leaves = offered.map((name) => {
    const label = stateName(name)
    return { word: name, label, sublabel: label === name ? '' : name }
  })
  return [{ word: '', label: RED._(`${command}.state.payload`) }, ...leaves]
}

/**
 * Returns the options of states as leaves of a tree, each with the states that accept it.
 * @param selected.state shows only its options; if the panel does not have this state, those of all states
 * @param selected.partition id as typed; for the whole panel, all partitions must offer the option
 */
export function listStateOptions({ partitions = [] }, { state, partition }) {
  const all = selectPartitions(partitions, partition).map(({ states }) => states)
  const isOffered = (option, name) =>
    all.every((states) => states.some((one) => one.name === name && one.options.includes(option)))
  const names = unique(all.flat().map(({ name }) => name))
  const options = unique(all.flat().flatMap(({ options }) => options))
  return options.flatMap((option) => {
    const accepting = names.filter((name) => isOffered(option, name))
    const isShown = accepting.includes(state) || (accepting.length > 0 && !names.includes(state))
    if (!isShown) return []
    const label = optionName(option)
    const raw = label === option ? [] : [option]
    // The selected state says it already.
    const states = names.includes(state) ? [] : accepting
    const details = states.map(stateName).join(' · ')
    return [{ word: option, label, sublabel: [...raw, ...states].join(' · '), details }]
  })
}

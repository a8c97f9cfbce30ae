// Names for the words of the service. A word that is not known is its own name, or is at least made readable.

const palette = '@keyholder/node-red-alarm-panel/keyholder'

/** Makes a word of the service without a translation readable: `Radar motion` for `RADAR_MOTION`. */
function makeReadable(word) {
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the name of a type of devices, for several of them. */
export function typeName(type) {
  return RED._(`${palette}:panel.deviceType.${type}`, { defaultValue: makeReadable(type) })
}

/** Returns the name of a subtype of devices. */
export function subtypeName(subtype) {
  return RED._(`${palette}:panel.subtype.${subtype}`, { defaultValue: makeReadable(subtype) })
}

/** Returns the name of a role, which some answers have in small letters. */
export function roleName(role) {
  const key = role.toUpperCase()
  return RED._(`${palette}:panel.role.${key}`, { defaultValue: role })
}

/** Returns what a state means. */
export function stateName(state) {
  return RED._(`${palette}:command.state.${state}`, { defaultValue: state })
}

/** Returns what an option of a state does. */
export function optionName(option) {
  return RED._(`${palette}:command.option.${option}`, { defaultValue: option })
}

/** Returns the name of a group of events. */
export function groupName(group) {
  return RED._(`${palette}:events.group.${group}`, { defaultValue: group })
}

/** Returns the name of an event label. */
export function labelName(label) {
  return RED._(`${palette}:events.family.${label}`, { defaultValue: label })
}

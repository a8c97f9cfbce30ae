import { subtypeName, typeName } from '../service-words.mjs'

const panel = '@keyholder/node-red-alarm-panel/keyholder:panel'

/**
 * Returns the leaf of a device. One without a name and location is called by its kind, not by the words of the
 * service, which are its label in messages.
 */
function createLeaf({ number, label, name, location, type, subtype }, word) {
  const kind = subtypeName(subtype) || typeName(type)
  if (name.trim() || location) {
    const count = number === null ? '' : RED._(`${panel}.choices.number`, { number })
    return { word: String(word), label, sublabel: [kind, count].filter(Boolean).join(' · ') }
  }
  const title = number === null ? kind : RED._(`${panel}.choices.unnamed`, { device: kind, number })
  return { word: String(word), label: title, sublabel: label }
}

const byId = (device) => createLeaf(device, device.id)
const byNumber = (device) => createLeaf(device, device.number)

/** Groups values by name, in the order in which the names first appear. */
function groupBy(values, nameOf) {
  const groups = new Map()
  for (const value of values) groups.set(nameOf(value), [...(groups.get(nameOf(value)) ?? []), value])
  return [...groups]
}

/** Tells if a location needs a branch: not if its only device has the same name. */
const isNeeded = (location, [first, ...others]) => location && (others.length > 0 || first.label !== location)

function groupByLocation(devices, leafOf) {
  return groupBy(devices, ({ location }) => location).flatMap(([location, there]) => {
    const leaves = there.map(leafOf)
    return isNeeded(location, there) ? [{ label: location, children: leaves }] : leaves
  })
}

/** Returns the devices of a panel as a tree: by type, and below that by location. */
export function listDevices({ devices = [] }) {
  return groupBy(devices, ({ type }) => typeName(type)).map(([label, ofType]) => ({
    label,
    children: groupByLocation(ofType, byId),
  }))
}

/** Returns the zones of a panel by location, with their numbers as words, because commands use these. */
export function listZones({ devices = [] }) {
  return groupByLocation(
    devices.filter(({ type, number }) => type === 'ZONE' && number !== null),
    byNumber,
  )
}

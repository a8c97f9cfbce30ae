const panel = '@keyholder/node-red-alarm-panel/panel:panel'

/** Makes a code of the service without a translation readable: `Radar motion` for `RADAR_MOTION`. */
function readable(word) {
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const typeWord = ({ type }) => RED._(`${panel}.deviceType.${type}`, { defaultValue: readable(type) })
const subtypeWord = ({ subtype }) => RED._(`${panel}.subtype.${subtype}`, { defaultValue: readable(subtype) })

function createLeaf(device, word) {
  const { number, label } = device
  const count = number === null ? '' : RED._(`${panel}.choices.number`, { number })
  const sublabel = [subtypeWord(device), count].filter(Boolean).join(' · ')
  return { word: String(word), label, sublabel }
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
  return groupBy(devices, typeWord).map(([label, ofType]) => ({
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

const panel = '@keyholder/node-red-alarm-panel/panel:panel'

/** A word of the service that has no translation, to be read: `Radar motion` for `RADAR_MOTION`. */
function readable(word) {
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const typeWord = ({ type }) => RED._(`${panel}.deviceType.${type}`, { defaultValue: readable(type) })
const subtypeWord = ({ subtype }) => RED._(`${panel}.subtype.${subtype}`, { defaultValue: readable(subtype) })

function leaf(device, word) {
  const { number, label } = device
  const count = number === null ? '' : RED._(`${panel}.choices.number`, { number })
  const sublabel = [subtypeWord(device), count].filter(Boolean).join(' · ')
  return { word: String(word), label, sublabel }
}

const byId = (device) => leaf(device, device.id)
const byNumber = (device) => leaf(device, device.number)

/** The values by a name of theirs, in the order in which the names first appear. */
function grouped(values, nameOf) {
  const groups = new Map()
  for (const value of values) groups.set(nameOf(value), [...(groups.get(nameOf(value)) ?? []), value])
  return [...groups]
}

/** A place that holds nothing but the device that is called by it needs no branch of its own. */
const isNeeded = (location, [first, ...others]) => location && (others.length > 0 || first.label !== location)

function places(devices, leafOf) {
  return grouped(devices, ({ location }) => location).flatMap(([location, there]) => {
    const leaves = there.map(leafOf)
    return isNeeded(location, there) ? [{ label: location, children: leaves }] : leaves
  })
}

/** The devices of a panel as branches and leaves of a choice tree: by type, and below that by place. */
export function deviceTree({ devices = [] }) {
  return grouped(devices, typeWord).map(([label, ofType]) => ({ label, children: places(ofType, byId) }))
}

/** The zones of a panel by place, as a command names them: by their numbers. */
export function zoneTree({ devices = [] }) {
  return places(
    devices.filter(({ type, number }) => type === 'ZONE' && number !== null),
    byNumber,
  )
}

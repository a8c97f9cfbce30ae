import { type Trouble, typeOfSource } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'
import {
  hasJoined,
  isOfPanel,
  isTrouble,
  isZone,
  nameOf,
  nameOfSource,
  readable,
  silence,
  troubles as troublesOf,
} from '../devices/device.ts'

/** A trouble of the panel itself, or of a device of it that is no zone, such as a siren. */
interface OwnTrouble {
  type: string
  device_type: string
  /** The number within the type; null for the panel itself. */
  number: number | null
  /** Its name, else its location; empty if it has neither. */
  name: string
}

/** The words for types of devices whose word of the service is none of the trade. */
const deviceWords: ReadonlyMap<string, string> = new Map([
  ['WL_SIREN', 'siren'],
  ['WIRELESS_COMMANDER', 'keypad'],
])

/** The meaning of the troubles of the panel itself, and their remedies. */
const panelWords: ReadonlyMap<string, string> = new Map([
  ['JAMMED', 'a jammed radio (end what disturbs it, such as another transmitter nearby)'],
  ['AC_FAILURE', 'no mains power (check the plug and the fuse)'],
  ['LOW_BATTERY', 'a low battery of the panel (replace it)'],
  ['TAMPER', 'an open case of the panel (close it)'],
])

/**
 * Returns a sentence about the troubles of a panel that are none of a zone, with what to do; empty if there are none. By the
 * makers' guides a jammed radio keeps a panel from being armed, and other troubles where the installer has chosen that.
 * @param listed the service's list of troubles; empty if it was not read
 */
export function describeOwnTroubles(devices: readonly Device[], listed: readonly Trouble[]): string {
  const all = [...inDevices(devices), ...inList(listed)].filter((trouble) => !isZone(trouble))
  const found = new Map<string, OwnTrouble>()
  for (const trouble of all) {
    const { type, device_type, number } = trouble
    const key = isOfPanel(trouble) ? type : [type, device_type, number].join()
    // The list of devices has the better names.
    if (!found.has(key)) found.set(key, trouble)
  }
  if (found.size === 0) return ''
  const words = [...found.values()].map(describe).join(', ')
  return `The panel reports ${words}. It may be set up not to arm with that. If that is over and the panel is still not ready, look at the keypad for the reason.`
}

function inDevices(devices: readonly Device[]): OwnTrouble[] {
  return devices.filter(hasJoined).flatMap((device) => {
    const { device_type, device_number: number } = device
    return troublesOf(device).map((type) => ({ type, device_type, number, name: nameOf(device) }))
  })
}

function inList(troubles: readonly Trouble[]): OwnTrouble[] {
  return troubles
    .filter(({ trouble_type }) => isTrouble(trouble_type))
    .map((trouble) => ({
      type: trouble.trouble_type,
      device_type: typeOfSource(trouble),
      number: trouble.zone,
      name: nameOfSource(trouble),
    }))
}

function describe(trouble: OwnTrouble): string {
  const { type, device_type, number, name } = trouble
  if (isOfPanel(trouble)) return panelWords.get(type) ?? readable(type)
  const device = name || `${deviceWords.get(device_type) ?? readable(device_type)} ${number ?? ''}`.trim()
  if (silence.has(type)) return `no contact with ${device} (check its battery and its place)`
  if (type === 'LOW_BATTERY') return `a low battery of ${device} (replace it)`
  if (type === 'TAMPER') return `an open case of ${device} (close it)`
  return `${device}: ${readable(type)}`
}

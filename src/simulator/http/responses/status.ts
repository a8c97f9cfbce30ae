import type { Device } from '../../world/device.ts'
import type { Panel } from '../../world/panel.ts'
import type { WorldTime } from '../../world/world-time.ts'
import { moduleFirmware, panelFirmware } from './panel-info.ts'

/** GET status (field fact: all clients read the arming state here). */
export function status(panel: Panel) {
  return {
    connected: panel.connected,
    connected_status: {
      bba: { is_connected: panel.connected && panel.lines.broadband, state: stateOf(panel.lines.broadband) },
      gprs: { is_connected: panel.lines.mobile === true, state: stateOf(panel.lines.mobile) },
    },
    discovery: { completed: true, stages: 11, in_queue: 0, triggered: null },
    partitions: panel.report().partitions,
    rssi: { level: 'ok', network: 'Unknown' },
  }
}

/** GET status for the installer (field fact): the transports are next to the partitions. */
export function installerStatus(panel: Panel, time: WorldTime) {
  return {
    bba: { connected: panel.connected && panel.lines.broadband, state: stateOf(panel.lines.broadband) },
    gprs:
      panel.lines.mobile === null
        ? null
        : { connected: panel.lines.mobile, state: stateOf(panel.lines.mobile) },
    wifi: null,
    bba_over_gprs: null,
    usb: null,
    last_discovery: new Date(time.start).toISOString().replace(/\.\d+/, ''),
    partitions: panel.report().partitions,
  }
}

function stateOf(isWorking: boolean | null): 'online' | 'offline' | null {
  return isWorking === null ? null : isWorking ? 'online' : 'offline'
}

const firmware: Readonly<Record<string, object>> = {
  CONTROL_PANEL: { firmware: { version: panelFirmware, has_upgrade: false } },
  POWER_LINK: { firmware: { version: moduleFirmware, has_upgrade: true } },
}

/** GET devices (interface specification 2.10). */
export function devices(panel: Panel): readonly Device[] {
  return panel.report().devices
}

/**
 * GET devices for the installer (field fact): without warnings an empty list, without a repeater no member.
 */
export function installerDevices(panel: Panel) {
  return panel.report().devices.map((device) => ({
    ...device,
    warnings: device.warnings ?? [],
    traits: { ...formatInstallerTraits(device), ...(panel.online ? firmware[device.device_type] : {}) },
  }))
}

function formatInstallerTraits({ traits }: Device): object {
  if (!traits.rssi) return traits
  const { repeater, ...rssi } = traits.rssi
  return { ...traits, rssi: repeater === null ? rssi : traits.rssi }
}

/** The preset names of every panel; the names chosen by the installer follow them in the response. */
const presetNames =
  `Attic, Back door, Basement, Bathroom, Bedroom, Child room, Closet, Den, Dining room, Downstairs, Emergency,
  Fire, Front door, Garage, Garage door, Guest room, Hall, Kitchen, Laundry room, Living room, Master bath, Master Bdrm,
  Office, Upstairs, Utility room, Yard`.split(/,\s+/)

/** GET locations (field fact): the locations that a device can be assigned to. */
export function locations({ plan }: Panel) {
  const used = plan.devices.flatMap(({ traits }) => traits.location?.name ?? [])
  const own = [...new Set(used)].filter((name) => !presetNames.includes(name))
  return [
    ...presetNames.map((name) => ({ name, is_editable: false })),
    ...own.map((name) => ({ name, is_editable: true })),
  ].map((place, index) => ({ hel_id: index, ...place }))
}

import type { Device } from '../../world/device.ts'
import type { Panel } from '../../world/panel.ts'
import type { ShownPanel } from '../../world/service/service-view.ts'
import type { WorldTime } from '../../world/world-time.ts'
import { moduleFirmware, panelFirmware } from './panel-info.ts'

/** GET status (field fact: all clients read the arming state here). */
export function status({ connected, lines, report }: ShownPanel) {
  return {
    connected,
    connected_status: {
      bba: { is_connected: connected && lines.broadband, state: stateOf(lines.broadband) },
      gprs: { is_connected: lines.mobile === true, state: stateOf(lines.mobile) },
    },
    discovery: { completed: true, stages: 11, in_queue: 0, triggered: null },
    partitions: report.partitions,
    rssi: { level: 'ok', network: 'Unknown' },
  }
}

/** GET status for the installer (field fact): the transports are next to the partitions. */
export function installerStatus({ connected, lines, report }: ShownPanel, time: WorldTime) {
  return {
    bba: { connected: connected && lines.broadband, state: stateOf(lines.broadband) },
    gprs: lines.mobile === null ? null : { connected: lines.mobile, state: stateOf(lines.mobile) },
    wifi: null,
    bba_over_gprs: null,
    usb: null,
    last_discovery: new Date(time.start).toISOString().replace(/\.\d+/, ''),
    partitions: report.partitions,
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
export function devices({ report }: ShownPanel): readonly Device[] {
  return report.devices
}

/**
 * GET devices for the installer (field fact): without warnings an empty list, without a repeater no member.
 */
export function installerDevices({ report, online }: ShownPanel) {
  return report.devices.map((device) => ({
    ...device,
    warnings: device.warnings ?? [],
    traits: { ...formatInstallerTraits(device), ...(online ? firmware[device.device_type] : {}) },
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

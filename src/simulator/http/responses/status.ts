import type { Panel } from '../../world/panel.ts'
import type { WorldTime } from '../../world/world-time.ts'

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

import { Random } from '../random.ts'
import { createStage } from '../scenarios/scenes.ts'
import type { Device } from '../world/device.ts'
import type { Panel } from '../world/panel.ts'
import { ActionError } from './action-fields.ts'

/** An alarm that the console can trigger. Disarming ends it; fire and flood end when the zone is at rest. */
export interface Alarm {
  readonly name: string
  /** Returns false if the panel has no device for this alarm. */
  isPossible(panel: Panel): boolean
  /**
   * Triggers the alarm and returns one sentence about it.
   * @throws ActionError if the panel does not get into this state
   */
  trigger(panel: Panel): string
}

/** All alarms. */
export const alarms: readonly Alarm[] = [
  { name: 'intrusion', isPossible: () => true, trigger: triggerIntrusion },
  {
    name: 'panic',
    isPossible: (panel) => findKeyfob(panel) !== undefined,
    trigger: (panel) => {
      const keyfob = findKeyfob(panel)
      if (keyfob) panel.panic(keyfob.id)
      return 'Somebody pressed the panic button of the keyfob; disarming ends the alarm.'
    },
  },
  createHazardAlarm(
    'fire',
    'FIRE',
    'There is smoke; the alarm ends when the smoke detector is at rest again.',
  ),
  createHazardAlarm(
    'flood',
    'FLOOD',
    'There is water on the floor; the alert ends when the flood detector is at rest again.',
  ),
]

/** Opens a window of an armed house; if no zone is monitored yet, arms it first without exit delay. */
function triggerIntrusion(panel: Panel): string {
  const { partition: id, windows } = createStage(panel, new Random(1))
  const [partition] = panel.findPartitions(id)
  const [window] = windows
  if (!partition || window === undefined) throw new ActionError('This panel has no window to come in by.')
  if (partition.monitoredMode === null) {
    if (partition.state !== 'DISARM') panel.disarm(id)
    if (!panel.arm(id, 'AWAY', { exitDelay: 0 }))
      throw new ActionError('It cannot be armed: close what stands open first.')
  }
  panel.open(window)
  return 'A window was broken open while the house is armed; disarming ends the alarm, then close the window.'
}

function createHazardAlarm(name: string, zoneType: string, message: string): Alarm {
  const findZone = (panel: Panel) => panel.devices.find((device) => device.zone_type === zoneType)
  return {
    name,
    isPossible: (panel) => findZone(panel) !== undefined,
    trigger: (panel) => {
      const zone = findZone(panel)
      if (zone) panel.open(zone.device_number)
      return message
    },
  }
}

function findKeyfob(panel: Panel): Device | undefined {
  return panel.devices.find((device) => device.device_type === 'KEYFOB')
}

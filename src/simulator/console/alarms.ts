import { Random } from '../random.ts'
import { createStage } from '../scenarios/scenes.ts'
import { isBypassed } from '../world/alarms/bypasses.ts'
import { type Device, hasWarning } from '../world/device.ts'
import type { Panel } from '../world/panel.ts'
import { ActionError, type Sentence, say } from './sentence.ts'

/** An alarm that the console can trigger. Disarming ends it; fire and flood end when the zone is closed. */
export interface Alarm {
  readonly name: string
  /** Returns false if the panel has no device for this alarm. */
  isPossible(panel: Panel): boolean
  /**
   * Triggers the alarm and returns one sentence about it.
   * @throws ActionError if the panel does not get into this state
   */
  trigger(panel: Panel): Sentence
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
      return say('The panic button of the keyfob was pressed. To end the alarm, disarm the panel.')
    },
  },
  createHazardAlarm(
    'fire',
    'FIRE',
    say('The smoke detector detects smoke. To end the alarm, untick the alarm of its zone.'),
  ),
  createHazardAlarm(
    'flood',
    'FLOOD',
    say('The flood detector detects water. To end the alert, untick the alarm of its zone.'),
  ),
]

/** Opens a guarded window of an armed panel; if it is not armed yet, arms it first without exit delay. */
function triggerIntrusion(panel: Panel): Sentence {
  const { partition: id, windows, zones } = createStage(panel, new Random(1))
  const [partition] = panel.findPartitions(id)
  if (!partition || windows.length === 0) throw new ActionError('This panel has no window for an intrusion.')
  const window = zones.find(
    (zone) => windows.includes(zone.device_number) && !hasWarning(zone, 'OPENED') && !isBypassed(zone),
  )
  if (window === undefined)
    throw new ActionError('All windows are open or bypassed: close a window, or end its bypass.')
  if (partition.monitoredMode === null) {
    // A disarm ends a bypass, and the panel could not be armed again.
    if (partition.state !== 'DISARM' && zones.some(isBypassed))
      throw new ActionError('A zone is bypassed: wait until the exit delay is over.')
    if (partition.state !== 'DISARM') panel.disarm(id)
    if (!panel.arm(id, 'AWAY', { exitDelay: 0 }))
      throw new ActionError('The panel cannot be armed: close the open zones first.')
  }
  panel.open(window.device_number)
  return say(
    'A window was opened while the house is armed. To end the alarm, disarm the panel and close the window.',
  )
}

function createHazardAlarm(name: string, zoneType: string, message: Sentence): Alarm {
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

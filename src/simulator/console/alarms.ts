import { Random } from '../random.ts'
import { createStage } from '../scenarios/scenes.ts'
import type { Device } from '../world/device.ts'
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

/** Opens a window of an armed panel; if it is not armed yet, arms it first without exit delay. */
function triggerIntrusion(panel: Panel): Sentence {
  const { partition: id, windows } = createStage(panel, new Random(1))
  const [partition] = panel.findPartitions(id)
  const [window] = windows
  if (!partition || window === undefined) throw new ActionError('This panel has no window for an intrusion.')
  if (partition.monitoredMode === null) {
    if (partition.state !== 'DISARM') panel.disarm(id)
    if (!panel.arm(id, 'AWAY', { exitDelay: 0 }))
      throw new ActionError('The panel cannot be armed: close the open zones first.')
  }
  panel.open(window)
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

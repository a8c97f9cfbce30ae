import { Random } from '../random.ts'
import { stageOf } from '../scenarios/scenes.ts'
import type { Device } from '../world/device.ts'
import type { Panel } from '../world/panel.ts'
import { Refused } from './action-fields.ts'

/** An alarm that the console can trigger. Disarming ends it; fire and flood end when the zone is at rest. */
export interface Alarm {
  readonly name: string
  /** Returns false if the panel has no device for this alarm. */
  possible(panel: Panel): boolean
  /**
   * Triggers the alarm and returns one sentence about it.
   * @throws Refused if the panel does not get into this state
   */
  setOff(panel: Panel): string
}

/** All alarms. */
export const alarms: readonly Alarm[] = [
  { name: 'intrusion', possible: () => true, setOff: breakIn },
  {
    name: 'panic',
    possible: (panel) => keyfobOf(panel) !== undefined,
    setOff: (panel) => {
      const keyfob = keyfobOf(panel)
      if (keyfob) panel.panic(keyfob.id)
      return 'Somebody pressed the panic button of the keyfob; disarming ends the alarm.'
    },
  },
  hazard('fire', 'FIRE', 'There is smoke; the alarm ends when the smoke detector is at rest again.'),
  hazard(
    'flood',
    'FLOOD',
    'There is water on the floor; the alert ends when the flood detector is at rest again.',
  ),
]

/** Opens a window of an armed house; if no zone is monitored yet, arms it first without exit delay. */
function breakIn(panel: Panel): string {
  const { partition: id, windows } = stageOf(panel, new Random(1))
  const [partition] = panel.chosen(id)
  const [window] = windows
  if (!partition || window === undefined) throw new Refused('This panel has no window to come in by.')
  if (partition.watching === null) {
    if (partition.state !== 'DISARM') panel.disarm(id)
    if (!panel.arm(id, 'AWAY', { exitDelay: 0 }))
      throw new Refused('It cannot be armed: close what stands open first.')
  }
  panel.open(window)
  return 'A window was broken open while the house is armed; disarming ends the alarm, then close the window.'
}

function hazard(name: string, zoneType: string, said: string): Alarm {
  const zoneOf = (panel: Panel) => panel.devices.find((device) => device.zone_type === zoneType)
  return {
    name,
    possible: (panel) => zoneOf(panel) !== undefined,
    setOff: (panel) => {
      const zone = zoneOf(panel)
      if (zone) panel.open(zone.device_number)
      return said
    },
  }
}

function keyfobOf(panel: Panel): Device | undefined {
  return panel.devices.find((device) => device.device_type === 'KEYFOB')
}

import { stageOf } from '../life/scenes.ts'
import type { Device } from '../world/device.ts'
import type { Panel } from '../world/panel.ts'
import { Random } from '../world/random.ts'
import { Refused } from './refused.ts'

/** An alarm that the console can set off; `disarm`, or in the case of fire and flood the zone at rest, ends it. */
export interface Alarm {
  readonly name: string
  /** False where the panel has no device for it. */
  possible(panel: Panel): boolean
  /** Sets it off and says what happened; throws `Refused` where the panel does not let it come to that. */
  setOff(panel: Panel): string
}

/** Every alarm there is to choose from. */
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

/** Through a window while everybody is out: where nothing watches yet, somebody armed long enough ago. */
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

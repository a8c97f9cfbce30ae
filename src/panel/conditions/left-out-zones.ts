import type { Device } from '../../service/responses/devices.ts'
import { concerns } from '../../service/responses/status.ts'
import { type Evidence, idOf, isAt, type PanelCondition, placeOf } from './condition.ts'
import type { Arming } from './outlived-bypasses.ts'

/** The word in the id of a zone that the panel has left out after its alarm: it is told anew. */
const leftOut = 'left out'

/**
 * Returns what a list of devices shows, with the zones that the panel itself has left out until the disarm, after a number of
 * their alarms (makers' guides, "swinger stop"): a zone that people have bypassed raises no alarm in that arming.
 */
export function withLeftOutZones(
  evidence: readonly Evidence[],
  listed: readonly Device[],
  { conditions, armings }: { conditions: readonly PanelCondition[]; armings: readonly Arming[] },
): readonly Evidence[] {
  const byId = new Map(conditions.map((condition) => [condition.id, condition]))
  return evidence.map((one) => {
    if (one.kind !== 'bypassed') return one
    const id = idOf(one.id, leftOut)
    const known = byId.get(id)
    // It stays what it was until the list has seen its end, or that the disarm has not ended it.
    if (known === undefined && !isOfAlarm(one, listed, conditions, armings)) return one
    const since = (known ?? byId.get(one.id))?.since ?? null
    return { ...one, id, since, says: 'leftOut' }
  })
}

/** Returns true if a bypassed zone of an armed partition has an alarm that runs. */
function isOfAlarm(
  { zone }: Evidence,
  listed: readonly Device[],
  conditions: readonly PanelCondition[],
  armings: readonly Arming[],
): boolean {
  const place = placeOf('ZONE', zone)
  const device = listed.find((one) => placeOf(one.device_type, one.device_number, one.id) === place)
  const isArmed = armings.some(
    ({ partition, disarmedAt }) =>
      disarmedAt === null && device !== undefined && concerns(device.partitions, partition),
  )
  return isArmed && conditions.some((condition) => condition.kind === 'alarm' && isAt(condition, place))
}

import { minute } from '../../duration.ts'
import { deviceSource } from '../world/device.ts'
import type { EventFields } from '../world/event-log.ts'
import type { Panel } from '../world/panel.ts'
import { userSource } from '../world/users.ts'
import { isoSpace } from '../world/world-time.ts'

/** Causes of an event: a user by number, the front door, the service, or the panel itself. */
type Cause = 1 | 2 | 'door' | 'service' | 'panel'

/** Events from yesterday until 15 minutes ago: minutes ago, type id, cause. */
const events: readonly (readonly [minutesAgo: number, typeId: number, cause: Cause])[] = [
  [1423, 89, 1],
  [1310, 86, 2],
  [1012, 3, 'door'],
  [1011, 31, 2],
  [1011, 21, 'door'],
  [1011, 173, 'panel'],
  [860, 85, 1],
  [431, 89, 1],
  [415, 57, 'panel'],
  [402, 993, 'service'],
  [402, 998, 'service'],
  [397, 994, 'service'],
  [397, 999, 'service'],
  [260, 86, 1],
  [16, 89, 1],
]

/** Adds the events of the last day, so that a new world has a history. */
export function writeHistory(panel: Panel, now: number): void {
  for (const [minutesAgo, type_id, cause] of events) {
    panel.log({ type_id, datetime: isoSpace(now - minutesAgo * minute), ...createSource(panel, cause) })
  }
}

function createSource(panel: Panel, cause: Cause): Omit<EventFields, 'type_id'> {
  if (cause === 'panel') return {}
  if (cause === 'service') return { appointment: 'IPMP', device_type: 'IPMP', zone: null }
  if (cause === 'door') return deviceSource(panel.zone(1))
  const user = panel.plan.users[cause - 1]
  return userSource(panel.plan.users, user === undefined ? {} : { user })
}

import type { EventFields } from './event-log.ts'

/** Who did it, and, for arming, how. */
export interface Act {
  /** Name of the person; the master user when absent. */
  user?: string
  /** Seconds to leave; the partition's own exit delay when absent. */
  exitDelay?: number
  /** Without entry delay, the option NOENTRY. */
  instant?: boolean
}

/** The fields of an event that a person caused: `zone` is then the user's number (field fact). */
export function causedByPerson(users: readonly string[], act: Act): Omit<EventFields, 'type_id'> {
  const name = act.user ?? users[0] ?? 'Master user'
  return { appointment: name, device_type: 'USER', zone: users.indexOf(name) + 1, zone_name: name }
}

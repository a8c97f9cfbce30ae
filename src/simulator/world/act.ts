import type { EventFields } from './event-log.ts'
import type { ArmingOption } from './partition.ts'

/** The user of an action and, for arming, its options. */
export interface Act {
  /** Name of the user; default: the master user. */
  user?: string
  /** Exit delay in seconds; default: that of the partition. */
  exitDelay?: number
  /** True for arming without entry delay, the option NOENTRY. */
  instant?: boolean
  /** True for the option LATCHKEY. */
  latchkey?: boolean
}

/** Returns the options for arming (interface specification 2.6). */
export function armingOptions({ instant, latchkey }: Act): readonly ArmingOption[] {
  return [...(instant ? (['NOENTRY'] as const) : []), ...(latchkey ? (['LATCHKEY'] as const) : [])]
}

/** Returns the fields of an event caused by a user: `zone` is then the user's number (field fact). */
export function causedByPerson(users: readonly string[], act: Act): Omit<EventFields, 'type_id'> {
  const name = act.user ?? users[0] ?? 'Master user'
  return { appointment: name, device_type: 'USER', zone: users.indexOf(name) + 1, zone_name: name }
}

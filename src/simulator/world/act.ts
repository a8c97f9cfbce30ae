import type { EventFields } from './event-log.ts'
import type { ArmingOption } from './partition.ts'

/** Who did it, and, for arming, how. */
export interface Act {
  /** Name of the person; the master user when absent. */
  user?: string
  /** Seconds to leave; the partition's own exit delay when absent. */
  exitDelay?: number
  /** Without entry delay, the option NOENTRY. */
  instant?: boolean
  /** With the option LATCHKEY. */
  latchkey?: boolean
}

/** The options that an act arms with (interface specification 2.6). */
export function armingOptions({ instant, latchkey }: Act): readonly ArmingOption[] {
  return [...(instant ? (['NOENTRY'] as const) : []), ...(latchkey ? (['LATCHKEY'] as const) : [])]
}

/** The fields of an event that a person caused: `zone` is then the user's number (field fact). */
export function causedByPerson(users: readonly string[], act: Act): Omit<EventFields, 'type_id'> {
  const name = act.user ?? users[0] ?? 'Master user'
  return { appointment: name, device_type: 'USER', zone: users.indexOf(name) + 1, zone_name: name }
}

import type { EventFields } from './event-log.ts'
import { type ArmingOption, eventIds, type Partition, type PartitionPlan } from './partition.ts'

/** The users and partitions of a panel. */
export interface SitePlan {
  /** Names of the users with a code, the master user first. */
  readonly users: readonly string[]
  /** One partition with id -1 if the panel has no partitions. */
  readonly partitions: readonly PartitionPlan[]
}

/** A user of a panel. */
export interface User {
  /** Number from 1, the master user first. */
  readonly number: number
  readonly name: string
  readonly isMaster: boolean
  /** Ids of the partitions that this user can arm and disarm. */
  readonly partitions: readonly number[]
}

const maxUsersOfAllPartitions = 2

/** Returns the users of a panel: the first two have all partitions, the others the first one. */
export function listUsers({ users, partitions }: SitePlan): User[] {
  const allPartitions = eventIds(partitions.map((plan) => ({ plan })))
  return users.map((name, index) => ({
    number: index + 1,
    name,
    isMaster: index === 0,
    partitions: index < maxUsersOfAllPartitions ? allPartitions : allPartitions.slice(0, 1),
  }))
}

/**
 * Returns true if the user of this name can arm and disarm all `partitions`; always true for another name
 * (the installer).
 */
export function isAllowed(plan: SitePlan, name: string, partitions: readonly Partition[]): boolean {
  const user = listUsers(plan).find((one) => one.name === name)
  return user === undefined || eventIds(partitions).every((id) => user.partitions.includes(id))
}

/** The user of an action and, for arming, its options. */
export interface Actor {
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
export function armingOptions({ instant, latchkey }: Actor): readonly ArmingOption[] {
  return [...(instant ? (['NOENTRY'] as const) : []), ...(latchkey ? (['LATCHKEY'] as const) : [])]
}

/** Returns the fields of an event caused by a user: `zone` is then the user's number (field fact). */
export function userSource(users: readonly string[], actor: Actor): Omit<EventFields, 'type_id'> {
  const name = actor.user ?? users[0] ?? 'Master user'
  return { appointment: name, device_type: 'USER', zone: users.indexOf(name) + 1, zone_name: name }
}

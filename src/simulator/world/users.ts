import type { PanelPlan } from './panel.ts'
import { eventIds, type Partition } from './partition.ts'

/** A user of a panel. */
export interface Person {
  /** Number from 1, the master user first. */
  readonly number: number
  readonly name: string
  readonly isMaster: boolean
  /** Ids of the partitions that this user may arm and disarm. */
  readonly partitions: readonly number[]
}

const trusted = 2

/** Returns the users of a panel: the first two have all partitions, the others the first one. */
export function peopleOf({ users, partitions }: Pick<PanelPlan, 'users' | 'partitions'>): Person[] {
  const everywhere = eventIds(partitions.map((plan) => ({ plan })))
  return users.map((name, index) => ({
    number: index + 1,
    name,
    isMaster: index === 0,
    partitions: index < trusted ? everywhere : everywhere.slice(0, 1),
  }))
}

/**
 * Tells if the user of this name may arm and disarm all `partitions`; a name that is no user (the installer)
 * may.
 */
export function mayEnter(plan: PanelPlan, name: string, partitions: readonly Partition[]): boolean {
  const person = peopleOf(plan).find((one) => one.name === name)
  return person === undefined || eventIds(partitions).every((id) => person.partitions.includes(id))
}

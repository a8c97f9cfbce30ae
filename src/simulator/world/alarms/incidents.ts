import { clearWarning, type Device, setWarning } from '../device.ts'
import type { Partition } from '../partition.ts'
import type { ZoneRule } from './zone-rule.ts'

/** An alarm or alert, from its start until the next arming removes it from memory. */
export interface Incident {
  readonly device: Device
  readonly rule: ZoneRule
  readonly partitions: Set<Partition>
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  readonly datetime: string
  /** Id of its event; 0 until that event arrives. */
  eventId: number
  /**
   * The time of the world at which it, or the alarm of its zone that it repeats, was reported, in milliseconds since 1970; null
   * until then.
   */
  reportedAt: number | null
  /** False if it is only in memory. */
  active: boolean
  /** True if its restore event was sent. */
  restored: boolean
}

/** The alarms and alerts of one panel, active and in memory. */
export class Incidents {
  #all: Incident[] = []

  /** All incidents, active and in memory, oldest first. */
  get all(): readonly Incident[] {
    return this.#all
  }

  /** Returns the active incident of `device`, if any. */
  findActive(device: Device): Incident | undefined {
    return this.#all.find((incident) => incident.device === device && incident.active)
  }

  /** Returns the active incidents in any of `partitions`. */
  listActive(partitions: readonly Partition[]): Incident[] {
    return this.#all.filter((incident) => incident.active && concerns(incident, partitions))
  }

  /** Adds an incident; replaces one of the same device. */
  add(incident: Incident): void {
    this.#all = [...this.#all.filter((known) => known.device !== incident.device), incident]
    clearWarning(incident.device, 'ALARM_IN_MEMORY')
  }

  /** Ends an active incident; it stays in memory. */
  end(incident: Incident): void {
    incident.active = false
    setWarning(incident.device, 'ALARM_IN_MEMORY', true)
  }

  /** Removes an incident that leaves no memory. */
  remove(incident: Incident): void {
    this.#all = this.#all.filter((known) => known !== incident)
  }

  /** Removes the incidents in memory in `partitions`, as arming does. */
  clearMemory(partitions: readonly Partition[]): void {
    this.#all = this.#all.filter((incident) => incident.active || !concerns(incident, partitions))
  }
}

function concerns(incident: Incident, partitions: readonly Partition[]): boolean {
  return partitions.some((partition) => incident.partitions.has(partition))
}

import { clearWarning, type Device, hasWarning, warn } from './device.ts'
import type { Partition } from './partition.ts'
import type { ZoneRule } from './zone-rule.ts'

/** An alarm or alert from the moment it is raised until the next arming forgets it. */
export interface Incident {
  readonly device: Device
  readonly rule: ZoneRule
  readonly partitions: Set<Partition>
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  readonly datetime: string
  /** Id of the event that told of it; 0 while that event has not arrived. */
  readonly eventId: number
  /** False once it is only remembered. */
  active: boolean
  /** True once its restore event is written. */
  restored: boolean
}

/** The alarms and alerts of one panel, active and remembered. */
export class Incidents {
  #all: Incident[] = []

  /** Active and remembered ones, the oldest first. */
  get all(): readonly Incident[] {
    return this.#all
  }

  /** The active one of `device`, if it has one. */
  activeOf(device: Device): Incident | undefined {
    return this.#all.find((incident) => incident.device === device && incident.active)
  }

  /** Active ones that concern one of `partitions`. */
  activeIn(partitions: readonly Partition[]): Incident[] {
    return this.#all.filter((incident) => incident.active && concerns(incident, partitions))
  }

  /** Takes a new one; what was remembered of the same device makes room. */
  raise(incident: Incident): void {
    this.#all = [...this.#all.filter((known) => known.device !== incident.device), incident]
    clearWarning(incident.device, 'ALARM_IN_MEMORY')
  }

  /** Ends an active one: from now on it is only remembered. */
  end(incident: Incident): void {
    incident.active = false
    warn(incident.device, 'ALARM_IN_MEMORY', true)
  }

  /** Forgets what is remembered in `partitions`, as arming does. */
  forget(partitions: readonly Partition[]): void {
    this.#all = this.#all.filter((incident) => incident.active || !concerns(incident, partitions))
  }
}

function concerns(incident: Incident, partitions: readonly Partition[]): boolean {
  return partitions.some((partition) => incident.partitions.has(partition))
}

/** True when nothing disturbs the zone any more, so that its alarm can be restored. */
export function isQuiet(device: Device): boolean {
  return !hasWarning(device, 'OPENED')
}

import { causedBy, clearWarning, type Device, forgetWarnings, hasWarning, isContact, warn } from './device.ts'
import type { EventFields } from './event-log.ts'
import { type Incident, Incidents, isQuiet } from './incidents.ts'
import { type ArmingMode, eventIds, type Partition } from './partition.ts'
import { type Act, armingOptions, causedByPerson } from './users.ts'
import { type WorldTime, withSpace } from './world-time.ts'
import { panicRule, reaction, type ZoneRule, zoneRule } from './zone-rule.ts'

/** The zones and partitions that a detection covers, and the functions that it reports to. */
export interface Post {
  readonly partitions: readonly Partition[]
  readonly devices: readonly Device[]
  readonly users: readonly string[]
  readonly time: WorldTime
  /** Sends an event; returns its id, or 0 if it cannot arrive now. */
  tell(event: EventFields): number
}

/** The intrusion detection of a panel: arming, disarming, and the alarms of its zones. */
export class Detection {
  readonly #post: Post
  readonly #incidents = new Incidents()

  constructor(post: Post) {
    this.#post = post
  }

  /** Alarms and alerts, active and in memory. */
  get incidents(): readonly Incident[] {
    return this.#incidents.all
  }

  /** Arms all `partitions` or none; returns false if a transition is not allowed or a zone is open. */
  arm(partitions: readonly Partition[], mode: ArmingMode, act: Act): boolean {
    if (!partitions.every((partition) => partition.mayBecome(mode))) return false
    if (!partitions.every((partition) => this.isReady(partition))) {
      this.#tellOf(98, act, partitions)
      return false
    }
    this.#forget(partitions)
    const options = armingOptions(act)
    for (const one of partitions) one.arm(mode, act.exitDelay ?? one.plan.exitDelay, options)
    this.#tellOf(mode === 'HOME' ? 85 : act.instant ? 96 : 86, act, partitions)
    return true
  }

  /** Disarms; alarms stay in memory until the next arming. */
  disarm(partitions: readonly Partition[], act: Act): void {
    for (const partition of partitions) partition.disarm()
    const ended = this.#incidents.activeIn(partitions)
    this.#tellOf(ended.length > 0 ? 31 : 89, act, partitions)
    for (const incident of ended) {
      this.#incidents.end(incident)
      if (isQuiet(incident.device)) this.#restore(incident)
    }
    if (ended.length > 0) this.#post.tell({ type_id: 173, partitions: eventIds(partitions) })
  }

  /** Processes a disturbed zone: its contact opens, or it detects something. */
  disturb(device: Device): void {
    if (isContact(device)) warn(device, 'OPENED')
    const rule = zoneRule(device.zone_type)
    if (!rule || device.traits.bypass?.enabled || device.traits.soak?.enabled) return
    const alarmed = this.partitionsOf(device).filter((partition) => {
      const effect = reaction(rule, partition.watching, partition.state === 'ENTRY_DELAY')
      if (effect === 'entry delay') partition.enter(() => this.#raise(device, rule, [partition]))
      return effect === 'alarm'
    })
    if (alarmed.length > 0) this.#raise(device, rule, alarmed)
  }

  /** Processes a pressed panic button: an alarm, armed or not, until a user disarms. */
  panic(device: Device): void {
    this.#raise(device, panicRule, this.partitionsOf(device))
  }

  /** Processes a zone at rest: its alarm is restored, and ends unless it is still armed there. */
  settle(device: Device): void {
    clearWarning(device, 'OPENED')
    const incident = this.#incidents.all.find((one) => one.device === device)
    if (!incident) return
    this.#restore(incident)
    const armed = this.partitionsOf(device).some((partition) => partition.watching !== null)
    if (incident.active && !armed) this.#incidents.end(incident)
  }

  /** Tells if the partition can be armed now: none of its contacts is open, except bypassed ones. */
  isReady(partition: Partition): boolean {
    return !this.#post.devices.some(
      (device) =>
        hasWarning(device, 'OPENED') &&
        !device.traits.bypass?.enabled &&
        this.partitionsOf(device).includes(partition),
    )
  }

  /** Returns the partitions of a device; without partitions, the whole panel. */
  partitionsOf(device: Device): readonly Partition[] {
    return this.#post.partitions.filter(({ plan }) => plan.id === -1 || device.partitions.includes(plan.id))
  }

  #raise(device: Device, rule: ZoneRule, partitions: readonly Partition[]): void {
    const active = this.#incidents.activeOf(device)
    if (active) {
      for (const partition of partitions) active.partitions.add(partition)
      return
    }
    const event = { type_id: rule.alarm, ...causedBy(device), partitions: eventIds(partitions) }
    this.#incidents.raise({
      device,
      rule,
      partitions: new Set(partitions),
      datetime: withSpace(this.#post.time.now()),
      eventId: this.#post.tell(event),
      active: true,
      restored: false,
    })
  }

  #restore(incident: Incident): void {
    if (incident.restored) return
    incident.restored = true
    const partitions = eventIds(incident.partitions)
    this.#post.tell({ type_id: incident.rule.restore, ...causedBy(incident.device), partitions })
  }

  /** Clears alarms and warnings in memory, because a new arming starts. */
  #forget(partitions: readonly Partition[]): void {
    this.#incidents.forget(partitions)
    for (const device of this.#post.devices) {
      if (this.partitionsOf(device).some((one) => partitions.includes(one))) forgetWarnings(device)
    }
  }

  #tellOf(type_id: number, act: Act, partitions: readonly Partition[]): void {
    const source = causedByPerson(this.#post.users, act)
    this.#post.tell({ type_id, ...source, partitions: eventIds(partitions) })
  }
}

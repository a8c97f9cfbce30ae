import { type Act, armingOptions, causedByPerson } from './act.ts'
import { causedBy, clearWarning, type Device, forgetWarnings, hasWarning, isContact, warn } from './device.ts'
import type { EventFields } from './event-log.ts'
import { type Incident, Incidents, isQuiet } from './incidents.ts'
import { type ArmingMode, eventIds, type Partition } from './partition.ts'
import { type WorldTime, withSpace } from './world-time.ts'
import { panicRule, reaction, type ZoneRule, zoneRule } from './zone-rule.ts'

/** What a panel's watch looks after, and where it tells of it. */
export interface Post {
  readonly partitions: readonly Partition[]
  readonly devices: readonly Device[]
  readonly users: readonly string[]
  readonly time: WorldTime
  /** Sends an event; answers its id, 0 while it cannot arrive. */
  tell(event: EventFields): number
}

/** A panel's watch over its zones: arming and disarming, and the alarms that come of it. */
export class Watch {
  readonly #post: Post
  readonly #incidents = new Incidents()

  constructor(post: Post) {
    this.#post = post
  }

  /** Alarms and alerts, active and remembered. */
  get incidents(): readonly Incident[] {
    return this.#incidents.all
  }

  /** Arms all of `partitions` or none: false when a transition is not allowed or a zone stands open. */
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

  /** Disarms; what was an alarm is remembered until the next arming. */
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

  /** A zone is disturbed: its contact opens, or it sees what it watches for. */
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

  /** Somebody presses a panic button: an alarm whether anything is armed or not, until someone disarms. */
  panic(device: Device): void {
    this.#raise(device, panicRule, this.partitionsOf(device))
  }

  /** A zone is at rest again: its alarm is restored, and ends unless something is still armed there. */
  settle(device: Device): void {
    clearWarning(device, 'OPENED')
    const incident = this.#incidents.all.find((one) => one.device === device)
    if (!incident) return
    this.#restore(incident)
    const armed = this.partitionsOf(device).some((partition) => partition.watching !== null)
    if (incident.active && !armed) this.#incidents.end(incident)
  }

  /** True when the partition may be armed now: no contact of it stands open, bypassed ones aside. */
  isReady(partition: Partition): boolean {
    return !this.#post.devices.some(
      (device) =>
        hasWarning(device, 'OPENED') &&
        !device.traits.bypass?.enabled &&
        this.partitionsOf(device).includes(partition),
    )
  }

  /** The partitions that a device belongs to; where there are none, the whole panel. */
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

  /** Arming starts afresh: remembered alarms and warnings go. */
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

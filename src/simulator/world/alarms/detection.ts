import {
  clearRememberedWarnings,
  clearWarning,
  type Device,
  deviceSource,
  hasWarning,
  isContact,
  setWarning,
} from '../device.ts'
import type { EventFields } from '../event-log.ts'
import type { PanelOptions } from '../panel-options.ts'
import { type ArmedState, type ArmingMode, eventIds, type Partition } from '../partition.ts'
import { type Actor, armingOptions, userSource } from '../users.ts'
import { isoSpace, type PanelClock, type WorldTime } from '../world-time.ts'
import { AlarmReports, type EndOfAlarm } from './alarm-reports.ts'
import { type Bypasses, isBypassed } from './bypasses.ts'
import { type Incident, Incidents } from './incidents.ts'
import { canBeArmed, isReady, openZones } from './readiness.ts'
import type { Siren } from './siren.ts'
import { SwingerStop } from './swinger-stop.ts'
import { decideReaction, findZoneRule, guardedMode, panicRule, type ZoneRule } from './zone-rule.ts'

/** The zones and partitions that a detection covers, and the function that receives its events. */
interface DetectionEnvironment {
  readonly partitions: readonly Partition[]
  readonly devices: readonly Device[]
  readonly bypasses: Bypasses
  readonly users: readonly string[]
  readonly siren: Siren
  readonly time: WorldTime
  readonly clock: PanelClock
  readonly readOptions: () => PanelOptions
  /** Sends an event; returns its id, or 0 if it cannot arrive now. */
  sendEvent(event: EventFields): number
}

/** The intrusion detection of a panel: arming, disarming, and the alarms of its zones. */
export class Detection {
  readonly #environment: DetectionEnvironment
  readonly #incidents = new Incidents()
  readonly #reports: AlarmReports
  readonly #swingerStop: SwingerStop

  constructor(environment: DetectionEnvironment) {
    this.#environment = environment
    this.#reports = new AlarmReports(environment)
    const { bypasses, time, readOptions } = environment
    this.#swingerStop = new SwingerStop(bypasses, time, readOptions)
  }

  /** Alarms and alerts, active and in memory. */
  get incidents(): readonly Incident[] {
    return this.#incidents.all
  }

  /**
   * Arms all `partitions`; returns false, and arms nothing, if a transition is not allowed or one of them cannot be armed.
   */
  arm(partitions: readonly Partition[], state: ArmedState, actor: Actor): boolean {
    if (!partitions.every((partition) => partition.canTransitionTo(state))) return false
    if (!partitions.every((partition) => this.canBeArmed(partition))) {
      this.#sendUserEvent(98, actor, partitions)
      return false
    }
    const isForced = !partitions.every((partition) => this.isReady(partition))
    this.#clearMemory(partitions)
    const { exitMode } = this.#environment.readOptions()
    for (const one of partitions)
      one.arm(state, {
        exitDelay: actor.exitDelay ?? one.plan.exitDelay,
        exitMode,
        options: armingOptions(actor),
        onArmed: () => this.#bypassOpenZones(one),
      })
    this.#sendUserEvent(armingEvent(state, actor, isForced), actor, partitions)
    return true
  }

  /** Disarms; alarms stay in memory until the next arming. Bypasses of zones that were armed end. */
  disarm(partitions: readonly Partition[], actor: Actor): void {
    const armed = this.#environment.devices.filter((device) => this.partitionsOf(device).some(isArmed))
    for (const partition of partitions) partition.disarm()
    const disarmed = armed.filter((device) => !this.partitionsOf(device).some(isArmed))
    this.#environment.bypasses.endWithDisarm(disarmed)
    this.#swingerStop.reset(disarmed)
    this.#endAlarms(this.#incidents.listActive(partitions), partitions, actor)
    if (!this.incidents.some(({ active, rule }) => active && rule.isLoud)) this.#environment.siren.silence()
  }

  /** Processes a triggered zone: its contact opens, or it detects something. */
  triggerZone(device: Device): void {
    const rule = findZoneRule(device.zone_type)
    if (isContact(device)) {
      if (!hasWarning(device, 'OPENED')) this.#passDoor(device, rule, true)
      setWarning(device, 'OPENED')
    }
    if (!rule || isBypassed(device) || device.traits.soak?.enabled) return
    const partitions = this.partitionsOf(device)
    if (partitions.length === 0) return
    const isEntryDelay = partitions.some(({ state }) => state === 'ENTRY_DELAY')
    const effect = decideReaction(rule, this.#guardedMode(device), isEntryDelay)
    if (effect === 'alarm') this.#raise(device, rule, partitions)
    if (effect === 'entry delay')
      for (const partition of partitions) this.#startEntryDelay(partition, device, rule)
  }

  /** Processes a pressed panic button: an alarm, armed or not, until a user disarms. */
  panic(device: Device): void {
    this.#raise(device, panicRule, this.partitionsOf(device))
  }

  /**
   * Processes a closed or quiet zone: restores its alarm, and ends it unless the partition is still armed.
   */
  restoreZone(device: Device): void {
    const wasOpen = hasWarning(device, 'OPENED')
    clearWarning(device, 'OPENED')
    if (wasOpen) this.#passDoor(device, findZoneRule(device.zone_type), false)
    const incident = this.#incidents.all.find((one) => one.device === device)
    if (!incident) return
    this.#restore(incident)
    const armed = this.partitionsOf(device).some((partition) => partition.monitoredMode !== null)
    if (incident.active && !armed) this.#incidents.end(incident)
  }

  /** Returns true if the partition shows that it is ready to be armed. */
  isReady(partition: Partition): boolean {
    return isReady(this.#partsOf(partition))
  }

  /** Returns true if the partition can be armed: it is ready, or the panel arms past what is open. */
  canBeArmed(partition: Partition): boolean {
    return canBeArmed(this.#partsOf(partition))
  }

  /** Returns the partitions of a device; without partitions, the whole panel. */
  partitionsOf(device: Device): readonly Partition[] {
    return this.#environment.partitions.filter(
      ({ plan }) => plan.id === -1 || device.partitions.includes(plan.id),
    )
  }

  #partsOf(partition: Partition): Parameters<typeof isReady>[0] {
    const { devices, readOptions } = this.#environment
    const ownDevices = devices.filter((device) => this.partitionsOf(device).includes(partition))
    return { ownDevices, devices, options: readOptions() }
  }

  /** Bypasses what is open at the end of the exit delay, on a panel that forces the arming (makers' guides). */
  #bypassOpenZones(partition: Partition): void {
    const { bypasses, readOptions } = this.#environment
    if (readOptions().bypassMode !== 'force-arm') return
    for (const zone of openZones(this.#partsOf(partition).ownDevices)) bypasses.bypassByPanel(zone)
  }

  /** Ends alarms with the disarm of a user, and reports both. */
  #endAlarms(ended: readonly Incident[], partitions: readonly Partition[], actor: Actor): void {
    const ends = new Map(ended.map((incident) => [incident, this.#reports.end(incident)]))
    const has = (end: EndOfAlarm) => [...ends.values()].includes(end)
    this.#sendUserEvent(has('canceled') ? 31 : 89, actor, partitions)
    for (const [incident, end] of ends) {
      if (end === 'aborted') {
        this.#incidents.remove(incident)
        continue
      }
      this.#incidents.end(incident)
      if (isAtRest(incident.device)) this.#restore(incident)
    }
    if (has('canceled') || has('late'))
      this.#environment.sendEvent({ type_id: 173, partitions: eventIds(partitions) })
  }

  /** Lets the partitions of a door know that it is opened or closed; one with an entry delay is on the way out, too. */
  #passDoor(device: Device, rule: ZoneRule | undefined, isOpened: boolean): void {
    if (!rule || rule.delayedModes.length === 0) return
    for (const partition of this.partitionsOf(device)) partition.passDoor(isOpened)
  }

  #guardedMode(device: Device): ArmingMode | null {
    return guardedMode(this.partitionsOf(device).map(({ monitoredMode }) => monitoredMode))
  }

  #startEntryDelay(partition: Partition, device: Device, rule: ZoneRule): void {
    partition.startEntryDelay(() => {
      // A disarm of one of its partitions is enough for a zone of several.
      if (this.#guardedMode(device) !== null) this.#raise(device, rule, this.partitionsOf(device))
    })
  }

  #raise(device: Device, rule: ZoneRule, partitions: readonly Partition[]): void {
    const active = this.#incidents.findActive(device)
    if (active && !this.#isRepeatable(active)) {
      for (const partition of partitions) active.partitions.add(partition)
      return
    }
    const event = { type_id: rule.alarm, ...deviceSource(device), partitions: eventIds(partitions) }
    const incident: Incident = {
      device,
      rule,
      partitions: new Set(partitions),
      datetime: isoSpace(this.#environment.clock.now()),
      eventId: 0,
      reportedAt: active?.reportedAt ?? null,
      active: true,
      restored: false,
    }
    this.#incidents.add(incident)
    this.#reports.report(incident, event)
    if (rule.isLoud) this.#environment.siren.soundForAlarm()
    this.#swingerStop.count(device, rule)
  }

  /** Returns true if the zone of an active alarm was at rest since then, so that it can raise the next one. */
  #isRepeatable(active: Incident): boolean {
    return active.restored && !this.#reports.isWaiting(active)
  }

  #restore(incident: Incident): void {
    if (incident.restored) return
    incident.restored = true
    const partitions = eventIds(incident.partitions)
    this.#reports.reportLater(incident, {
      type_id: incident.rule.restore,
      ...deviceSource(incident.device),
      partitions,
      datetime: isoSpace(this.#environment.clock.now()),
    })
  }

  /** Clears alarms and warnings in memory, because a new arming starts. */
  #clearMemory(partitions: readonly Partition[]): void {
    this.#incidents.clearMemory(partitions)
    for (const device of this.#environment.devices) {
      if (this.partitionsOf(device).some((one) => partitions.includes(one))) clearRememberedWarnings(device)
    }
  }

  #sendUserEvent(type_id: number, actor: Actor, partitions: readonly Partition[]): void {
    const source = userSource(this.#environment.users, actor)
    this.#environment.sendEvent({ type_id, ...source, partitions: eventIds(partitions) })
  }
}

/** Returns true if the zone is closed, so that its alarm can be restored. */
function isAtRest(device: Device): boolean {
  return !hasWarning(device, 'OPENED')
}

/** Returns the type of the event of an arming; a forced one has its own for away alone. */
function armingEvent(state: ArmedState, { instant }: Actor, isForced: boolean): number {
  if (state !== 'AWAY') return 85
  return instant ? 96 : isForced ? 93 : 86
}

function isArmed({ state }: Partition): boolean {
  return state !== 'DISARM' && state !== 'PROGRAMMING'
}

import { Detection } from './detection.ts'
import { causedBy, clearWarning, type Device, warn } from './device.ts'
import type { EventCounter, EventFields, LoggedEvent } from './event-log.ts'
import type { Incident } from './incidents.ts'
import { type ArmingMode, eventIds, Partition } from './partition.ts'
import { type PanelReport, reportOf } from './report.ts'
import { Siren } from './siren.ts'
import { Uplink } from './uplink.ts'
import { type Act, causedByPerson, type UserPlan } from './users.ts'
import { type WorldTime, withT } from './world-time.ts'

/** The fixed properties of a panel. */
export interface PanelPlan extends UserPlan {
  readonly serial: string
  readonly alias: string
  readonly model: string
  readonly devices: readonly Device[]
}

/** A control panel with its partitions, zones and devices, and its connection to the service. */
export class Panel {
  readonly plan: PanelPlan
  readonly serial: string
  readonly devices: readonly Device[]
  readonly partitions: readonly Partition[]
  readonly siren: Siren
  readonly #time: WorldTime
  readonly #uplink: Uplink
  readonly #watch: Detection

  constructor(plan: PanelPlan, time: WorldTime, counter: EventCounter) {
    this.plan = plan
    this.serial = plan.serial
    this.devices = structuredClone([...plan.devices])
    this.partitions = plan.partitions.map((partition) => new Partition(partition, time))
    this.siren = new Siren(time)
    this.#time = time
    this.#uplink = new Uplink(counter, time)
    this.#watch = new Detection({
      partitions: this.partitions,
      devices: this.devices,
      users: plan.users,
      time,
      tell: (event) => this.#uplink.send(event),
    })
  }

  /** The event list of this panel in the service, by arrival, oldest first. */
  get events(): readonly LoggedEvent[] {
    return this.#uplink.events
  }

  /** False after `goOffline`. */
  get online(): boolean {
    return this.#uplink.online
  }

  /** The `connected` of the service: also false during a flap. */
  get connected(): boolean {
    return this.#uplink.connected
  }

  /** Alarms and alerts in the panel itself, active and in memory. */
  get incidents(): readonly Incident[] {
    return this.#watch.incidents
  }

  /** Tells if the partition can be armed now: none of its contacts is open, except bypassed ones. */
  isReady(partition: Partition): boolean {
    return this.#watch.isReady(partition)
  }

  /** True if nothing is armed and the installer menu is closed. */
  get disarmed(): boolean {
    return this.partitions.every((partition) => partition.state === 'DISARM')
  }

  /** The data that the service has of the panel: the current one, or the last one before it went offline. */
  report(): PanelReport {
    return this.#uplink.served(() => this.#live())
  }

  /** Returns the zone with this device number. */
  zone(number: number): Device {
    const found = this.devices.find((one) => one.device_type === 'ZONE' && one.device_number === number)
    if (!found) throw new RangeError(`Panel ${this.serial} has no zone ${number}.`)
    return found
  }

  /** Returns the partition with this id, or all of them for -1; an empty list if it does not exist. */
  chosen(id: number): readonly Partition[] {
    return id === -1 ? this.partitions : this.partitions.filter(({ plan }) => plan.id === id)
  }

  /** Returns the device with this id. */
  device(id: number): Device {
    const found = this.devices.find((one) => one.id === id)
    if (!found) throw new RangeError(`Panel ${this.serial} has no device ${id}.`)
    return found
  }

  /**
   * Arms a partition, or all of them with -1. The state is the target at once, with status EXIT during the
   * exit delay. Returns false if the state does not allow this transition or a zone is open.
   */
  arm(partition: number, mode: ArmingMode, act: Act = {}): boolean {
    return this.#watch.arm(this.#existing(partition), mode, act)
  }

  /**
   * Disarms a partition, or all with -1; alarms stay in memory until the next arming, the siren is silenced.
   */
  disarm(partition: number, act: Act = {}): void {
    this.#watch.disarm(this.#existing(partition), act)
    this.siren.silence()
  }

  /** Opens the installer menu of all partitions, until the next disarming: event 155. */
  program(): void {
    for (const partition of this.partitions) partition.program()
    this.log({ type_id: 155 })
  }

  /** Opens a contact; makes any other zone detect its hazard: motion, smoke, water. */
  open(zone: number): void {
    this.#watch.disturb(this.zone(zone))
  }

  /** Closes the contact, or ends the hazard: the restore event follows; an armed zone stays in alarm. */
  close(zone: number): void {
    this.#watch.settle(this.zone(zone))
  }

  /** Presses the panic button of a keyfob or keypad: event 13, and an alarm until a user disarms. */
  panic(deviceId: number): void {
    this.#watch.panic(this.device(deviceId))
  }

  /** Opens the case of a zone: event 8. */
  tamper(zone: number): void {
    const device = this.zone(zone)
    clearWarning(device, 'TAMPER_MEMORY')
    warn(device, 'TAMPER')
    this.log({ type_id: 8, ...causedBy(device) })
  }

  /** Closes the case of a zone: event 26; the tamper stays in memory until the next arming. */
  restoreTamper(zone: number): void {
    const device = this.zone(zone)
    clearWarning(device, 'TAMPER')
    warn(device, 'TAMPER_MEMORY', true)
    this.log({ type_id: 26, ...causedBy(device) })
  }

  /** Makes a battery run low: event 45. */
  lowBattery(deviceId: number): void {
    const device = this.device(deviceId)
    warn(device, 'LOW_BATTERY')
    this.log({ type_id: 45, ...causedBy(device) })
  }

  /** Replaces the battery: event 46. */
  restoreBattery(deviceId: number): void {
    const device = this.device(deviceId)
    clearWarning(device, 'LOW_BATTERY')
    this.log({ type_id: 46, ...causedBy(device) })
  }

  /** Bypasses a zone (event 97) or ends the bypass; a fire zone cannot be bypassed. */
  bypass(zone: number, enabled: boolean, act: Act = {}): void {
    const device = this.zone(zone)
    if (!device.traits.bypass || device.traits.bypass.enabled === enabled) return
    device.traits.bypass.enabled = enabled
    const partitions = eventIds(this.#watch.partitionsOf(device))
    if (enabled) this.log({ type_id: 97, ...causedByPerson(this.plan.users, act), partitions })
  }

  /** Sets a reading of a detector: degrees Celsius or lux (field fact), with the current time. */
  measure(deviceId: number, quantity: 'temperature' | 'brightness', value: number): void {
    const { traits } = this.device(deviceId)
    traits.meteo_info = { ...traits.meteo_info, [quantity]: { date: withT(this.#time.now()), value } }
  }

  /** Takes the panel offline: event 998; the last report is still served, with empty traits (field fact). */
  goOffline(): void {
    this.#uplink.cut(this.#live())
  }

  /** Takes the panel online: event 999, then the events of the meantime with their own times. */
  goOnline(): void {
    this.#uplink.restore()
  }

  /** Sets `connected` to false for this many seconds while the transport stays online (field fact). */
  flap(seconds = 90): void {
    this.#uplink.flap(seconds)
  }

  /** Adds an event to the list; any field can be set, also `event` and `datetime`. */
  log(fields: EventFields): void {
    this.#uplink.send({ partitions: eventIds(this.partitions), ...fields })
  }

  /** Adds `count` common events to the list, all in this second. */
  addEvents(count: number): void {
    const everyday = [89, 86, 97, 57]
    for (let index = 0; index < count; index += 1) {
      const user = this.plan.users[index % this.plan.users.length]
      const source = causedByPerson(this.plan.users, user === undefined ? {} : { user })
      this.log({ type_id: everyday[index % everyday.length] ?? 57, ...source })
    }
  }

  /** Clears the event list, as a system reset does. */
  clearEvents(): void {
    this.#uplink.clear()
  }

  #live(): PanelReport {
    return reportOf(this.partitions, (one) => this.isReady(one), this.devices, this.incidents)
  }

  #existing(id: number): readonly Partition[] {
    const chosen = this.chosen(id)
    if (chosen.length === 0) throw new RangeError(`Panel ${this.serial} has no partition ${id}.`)
    return chosen
  }
}

import { type Act, causedByPerson } from './act.ts'
import { causedBy, clearWarning, type Device, warn } from './device.ts'
import type { EventCounter, EventFields, LoggedEvent } from './event-log.ts'
import type { Incident } from './incidents.ts'
import { type ArmingMode, eventIds, Partition, type PartitionPlan } from './partition.ts'
import { type PanelReport, reportOf } from './report.ts'
import { Siren } from './siren.ts'
import { Uplink } from './uplink.ts'
import { Watch } from './watch.ts'
import { type WorldTime, withT } from './world-time.ts'

/** What is fixed about a panel. */
export interface PanelPlan {
  readonly serial: string
  readonly alias: string
  readonly model: string
  /** One with id -1 when the panel has no partitions. */
  readonly partitions: readonly PartitionPlan[]
  readonly devices: readonly Device[]
  /** Names of the people with a code, the master user first. */
  readonly users: readonly string[]
}

/** A control panel with its partitions, zones and devices, and its line to the service. */
export class Panel {
  readonly plan: PanelPlan
  readonly serial: string
  readonly devices: readonly Device[]
  readonly partitions: readonly Partition[]
  readonly siren: Siren
  readonly #time: WorldTime
  readonly #uplink: Uplink
  readonly #watch: Watch

  constructor(plan: PanelPlan, time: WorldTime, counter: EventCounter) {
    this.plan = plan
    this.serial = plan.serial
    this.devices = structuredClone([...plan.devices])
    this.partitions = plan.partitions.map((partition) => new Partition(partition, time))
    this.siren = new Siren(time)
    this.#time = time
    this.#uplink = new Uplink(counter, time)
    this.#watch = new Watch({
      partitions: this.partitions,
      devices: this.devices,
      users: plan.users,
      time,
      tell: (event) => this.#uplink.send(event),
    })
  }

  /** The event list that the service has of this panel, oldest arrival first. */
  get events(): readonly LoggedEvent[] {
    return this.#uplink.events
  }

  /** False after `goOffline`. */
  get online(): boolean {
    return this.#uplink.online
  }

  /** The service's `connected`: also false during a flap. */
  get connected(): boolean {
    return this.#uplink.connected
  }

  /** Alarms and alerts as the panel itself knows them, active and remembered. */
  get incidents(): readonly Incident[] {
    return this.#watch.incidents
  }

  /** True when the partition may be armed now: no contact of it stands open, bypassed ones aside. */
  isReady(partition: Partition): boolean {
    return this.#watch.isReady(partition)
  }

  /** True while nothing is armed and no one is programming. */
  get disarmed(): boolean {
    return this.partitions.every((partition) => partition.state === 'DISARM')
  }

  /** What the service serves of the panel: as it is, or as it last was before the line was cut. */
  report(): PanelReport {
    return this.#uplink.served(() => this.#live())
  }

  /** The zone with this device number. */
  zone(number: number): Device {
    const found = this.devices.find((one) => one.device_type === 'ZONE' && one.device_number === number)
    if (!found) throw new RangeError(`Panel ${this.serial} has no zone ${number}.`)
    return found
  }

  /** The partition with this id, or with -1 all of them; none when there is no such partition. */
  chosen(id: number): readonly Partition[] {
    return id === -1 ? this.partitions : this.partitions.filter(({ plan }) => plan.id === id)
  }

  /** The device with this id. */
  device(id: number): Device {
    const found = this.devices.find((one) => one.id === id)
    if (!found) throw new RangeError(`Panel ${this.serial} has no device ${id}.`)
    return found
  }

  /**
   * Arms a partition, or with -1 all of them; the state is the target at once, with status EXIT while the exit
   * delay runs. Answers false when the state allows no such transition or a zone stands open.
   */
  arm(partition: number, mode: ArmingMode, act: Act = {}): boolean {
    return this.#watch.arm(this.#existing(partition), mode, act)
  }

  /** Disarms a partition, or with -1 all; what was an alarm is remembered until the next arming, the siren is silent. */
  disarm(partition: number, act: Act = {}): void {
    this.#watch.disarm(this.#existing(partition), act)
    this.siren.silence()
  }

  /** Someone opens the installer's menu of all partitions, until the next disarming: event 155. */
  program(): void {
    for (const partition of this.partitions) partition.program()
    this.log({ type_id: 155 })
  }

  /** A contact opens; any other zone sees what it watches for: someone moving, smoke, water. */
  open(zone: number): void {
    this.#watch.disturb(this.zone(zone))
  }

  /** The contact closes, the smoke is gone: the restore event follows; an armed zone stays in alarm. */
  close(zone: number): void {
    this.#watch.settle(this.zone(zone))
  }

  /** Somebody presses the panic button of a keyfob or keypad: event 13, and an alarm until someone disarms. */
  panic(deviceId: number): void {
    this.#watch.panic(this.device(deviceId))
  }

  /** The zone's case is opened: event 8. */
  tamper(zone: number): void {
    const device = this.zone(zone)
    clearWarning(device, 'TAMPER_MEMORY')
    warn(device, 'TAMPER')
    this.log({ type_id: 8, ...causedBy(device) })
  }

  /** The zone's case is closed again: event 26; the tamper is remembered until the next arming. */
  restoreTamper(zone: number): void {
    const device = this.zone(zone)
    clearWarning(device, 'TAMPER')
    warn(device, 'TAMPER_MEMORY', true)
    this.log({ type_id: 26, ...causedBy(device) })
  }

  /** A battery runs low: event 45. */
  lowBattery(deviceId: number): void {
    const device = this.device(deviceId)
    warn(device, 'LOW_BATTERY')
    this.log({ type_id: 45, ...causedBy(device) })
  }

  /** The battery is replaced: event 46. */
  restoreBattery(deviceId: number): void {
    const device = this.device(deviceId)
    clearWarning(device, 'LOW_BATTERY')
    this.log({ type_id: 46, ...causedBy(device) })
  }

  /** Leaves a zone out of arming (event 97), or takes it in again; a fire zone cannot be bypassed. */
  bypass(zone: number, enabled: boolean, act: Act = {}): void {
    const device = this.zone(zone)
    if (!device.traits.bypass || device.traits.bypass.enabled === enabled) return
    device.traits.bypass.enabled = enabled
    const partitions = eventIds(this.#watch.partitionsOf(device))
    if (enabled) this.log({ type_id: 97, ...causedByPerson(this.plan.users, act), partitions })
  }

  /** A detector measures: degrees Celsius or lux (field fact), dated now. */
  measure(deviceId: number, quantity: 'temperature' | 'brightness', value: number): void {
    const { traits } = this.device(deviceId)
    traits.meteo_info = { ...traits.meteo_info, [quantity]: { date: withT(this.#time.now()), value } }
  }

  /** The line is cut: event 998, and the last report is served on, with empty traits (field fact). */
  goOffline(): void {
    this.#uplink.cut(this.#live())
  }

  /** The line is back: event 999, then whatever happened meanwhile, with its own times. */
  goOnline(): void {
    this.#uplink.restore()
  }

  /** `connected` is false for so many seconds while the transport stays online (field fact). */
  flap(seconds = 90): void {
    this.#uplink.flap(seconds)
  }

  /** Puts an event on the list; any field of the list can be given, `event` and `datetime` too. */
  log(fields: EventFields): void {
    this.#uplink.send({ partitions: eventIds(this.partitions), ...fields })
  }

  /** Puts `count` everyday events on the list, all in this second. */
  addEvents(count: number): void {
    const everyday = [89, 86, 97, 57]
    for (let index = 0; index < count; index += 1) {
      const user = this.plan.users[index % this.plan.users.length]
      const source = causedByPerson(this.plan.users, user === undefined ? {} : { user })
      this.log({ type_id: everyday[index % everyday.length] ?? 57, ...source })
    }
  }

  /** Empties the event list, as a system reset does. */
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

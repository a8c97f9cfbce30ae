import { Bypasses } from './alarms/bypasses.ts'
import { Detection } from './alarms/detection.ts'
import type { Incident } from './alarms/incidents.ts'
import { Siren } from './alarms/siren.ts'
import type { Device } from './device.ts'
import { EnrolledDevices } from './enrolled-devices.ts'
import type { EventCounter, EventFields, LoggedEvent } from './event-log.ts'
import { type PanelOptions, usualOptions } from './panel-options.ts'
import { type ArmedState, eventIds, Partition } from './partition.ts'
import { createReport, type PanelReport } from './service/report.ts'
import { type Lag, type ListOperation, ServiceView, type ShownPanel } from './service/service-view.ts'
import { Uplink } from './service/uplink.ts'
import { type Actor, type SitePlan, userSource } from './users.ts'
import { PanelClock, type WorldTime } from './world-time.ts'

/** The fixed properties of a panel. */
export interface PanelPlan extends SitePlan {
  readonly serial: string
  readonly alias: string
  readonly model: string
  readonly devices: readonly Device[]
  /** The options that differ from the usual ones. */
  readonly options?: Partial<PanelOptions>
}

/** Those who live with a panel and act on it by themselves. */
export interface Residents {
  /** Their next or present scene, and the seconds until it begins; nothing while they are off. */
  readonly plan: { isOn: boolean; isBusy: boolean; next: string; seconds: number }
  /** Shows soon that the panel lives, without arming or opening anything; then as `giveWay`. */
  welcome(): void
  /** Ends what they are doing, and leaves the panel for five minutes to somebody who acts on it. */
  giveWay(): void
  /** Switches them on or off. */
  turn(isOn: boolean): void
}

/** A control panel with its partitions, zones and devices, and its connection to the service. */
export class Panel extends EnrolledDevices {
  readonly plan: PanelPlan
  readonly partitions: readonly Partition[]
  readonly siren: Siren
  /** Undefined where nothing happens without a request. */
  residents: Residents | undefined
  readonly #uplink: Uplink
  readonly #detection: Detection
  readonly #bypasses: Bypasses
  #options: PanelOptions
  readonly #view: ServiceView

  constructor(plan: PanelPlan, time: WorldTime, counter: EventCounter) {
    super(plan.serial, plan.devices, new PanelClock(time))
    this.plan = plan
    this.#options = { ...usualOptions, ...plan.options }
    this.#bypasses = new Bypasses(() => this.#options)
    this.partitions = plan.partitions.map((partition) => new Partition(partition, time))
    this.siren = new Siren(time)
    this.#uplink = new Uplink(counter, time, this.clock, () => this.#options)
    this.#detection = new Detection({
      partitions: this.partitions,
      devices: this.devices,
      bypasses: this.#bypasses,
      users: plan.users,
      siren: this.siren,
      time,
      clock: this.clock,
      readOptions: () => this.#options,
      sendEvent: (event) => this.#uplink.send(event),
    })
    this.#view = new ServiceView(time, () => ({
      connected: this.connected,
      online: this.online,
      lines: this.lines,
      report: this.report(),
      events: this.events,
    }))
  }

  /** The options that the installer has set. */
  get options(): PanelOptions {
    return this.#options
  }

  /** Sets options, as the installer does. */
  setOptions(options: Partial<PanelOptions>): void {
    this.#options = { ...this.#options, ...options }
    this.#view.note()
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

  /** The transports that work; null for one that the panel does not have. */
  get lines(): { broadband: boolean; mobile: boolean | null } {
    return this.#uplink.lines
  }

  /** Alarms and alerts in the panel itself, active and in memory. */
  get incidents(): readonly Incident[] {
    return this.#detection.incidents
  }

  /** Returns true if the partition shows that it is ready to be armed: no open zone and no trouble is in the way. */
  isReady(partition: Partition): boolean {
    return this.#detection.isReady(partition)
  }

  /** Returns true if the partition can be armed: it is ready, or the panel arms past what is open. */
  canBeArmed(partition: Partition): boolean {
    return this.#detection.canBeArmed(partition)
  }

  /** True if nothing is armed and the installer menu is closed. */
  get disarmed(): boolean {
    return this.partitions.every((partition) => partition.state === 'DISARM')
  }

  /** The data that the service has of the panel: the current one, or the last one before it went offline. */
  report(): PanelReport {
    return this.#uplink.latestReport(() => this.#createReport())
  }

  /** Returns the panel as the service shows it in the answer of an operation: as it is, or as it was while the answer is late. */
  shown(operation: ListOperation): ShownPanel {
    return this.#view.shown(operation)
  }

  /** Returns the partition with this id, or all of them for -1; an empty list if it does not exist. */
  findPartitions(id: number): readonly Partition[] {
    return id === -1 ? this.partitions : this.partitions.filter(({ plan }) => plan.id === id)
  }

  /**
   * Arms a partition, or all of them with -1. The state is the target at once, with status EXIT during the
   * exit delay. Returns false if the state does not allow this transition, or an open zone or a trouble is in the way.
   */
  arm(partition: number, state: ArmedState, actor: Actor = {}): boolean {
    const isArmed = this.#detection.arm(this.#requirePartitions(partition), state, actor)
    this.#view.note()
    return isArmed
  }

  /**
   * Disarms a partition, or all with -1; alarms stay in memory until the next arming, the siren is silenced if no partition is
   * in alarm any more, and the bypasses of zones that were armed end.
   */
  disarm(partition: number, actor: Actor = {}): void {
    this.#detection.disarm(this.#requirePartitions(partition), actor)
    this.#view.note()
  }

  /** Opens the installer menu of all partitions, until the next disarming: event 155. */
  openInstallerMenu(): void {
    for (const partition of this.partitions) partition.openInstallerMenu()
    this.log({ type_id: 155 })
  }

  /** Opens a contact; makes any other zone detect its hazard: motion, smoke, water. */
  open(zone: number): void {
    this.#detection.triggerZone(this.zone(zone))
    this.#view.note()
  }

  /** Closes the contact, or ends the hazard: the restore event follows; an armed zone stays in alarm. */
  close(zone: number): void {
    this.#detection.restoreZone(this.zone(zone))
    this.#view.note()
  }

  /** Presses the panic button of a keyfob or keypad: event 13, and an alarm until a user disarms. */
  panic(deviceId: number): void {
    this.#detection.panic(this.device(deviceId))
    this.#view.note()
  }

  /** Returns true if people and the service can bypass a zone, or end that. */
  allowsBypass(zone: number, enabled: boolean): boolean {
    return this.#bypasses.allows(this.zone(zone), enabled)
  }

  /**
   * Bypasses a zone (event 97) or ends the bypass, if the panel allows it. The disarm after an arming ends the bypass,
   * too.
   */
  bypass(zone: number, enabled: boolean, actor: Actor = {}): void {
    const device = this.zone(zone)
    if (!this.#bypasses.set(device, enabled)) return
    const partitions = eventIds(this.#detection.partitionsOf(device))
    if (enabled) this.log({ type_id: 97, ...userSource(this.plan.users, actor), partitions })
    this.#view.note()
  }

  /** Takes the panel offline: event 998; the last report is still served, with empty traits (field fact). */
  goOffline(): void {
    this.#uplink.disconnect(this.#createReport())
    this.#view.note()
  }

  /** Takes the panel online: event 999, then the events in between by priority, with their original times. */
  goOnline(): void {
    this.#uplink.reconnect()
    this.#view.note()
  }

  /** Gives the panel a mobile transport, or lets a transport work or fail; the panel stays online. */
  setLines(lines: Partial<{ broadband: boolean; mobile: boolean | null }>): void {
    this.#uplink.setLines(lines)
    this.#view.note()
  }

  /** Sets `connected` to false for this many seconds while the transport stays online (field fact). */
  flap(seconds = 90): void {
    this.#uplink.flap(seconds)
    this.#view.note()
  }

  /**
   * Lets each event of the panel reach the service this many seconds late, with its own time. Returns a function that
   * ends this: then those on their way arrive.
   */
  delayEvents(seconds: number): () => void {
    const end = this.#uplink.delayEvents(seconds)
    return () => {
      end()
      this.#view.note()
    }
  }

  /**
   * Lets the service show each change of the panel late, until the returned function is called. The panel, and the progress
   * of commands, are ahead of what is shown.
   */
  lag(lag: Lag): () => void {
    return this.#view.lag(lag)
  }

  /** Adds an event to the list; any field can be set, also `event` and `datetime`. */
  log(fields: EventFields): void {
    this.#uplink.send({ partitions: eventIds(this.partitions), ...fields })
    this.#view.note()
  }

  /** Adds `count` common events to the list, all in this second. */
  addEvents(count: number): void {
    const commonTypes = [89, 86, 97, 57]
    for (let index = 0; index < count; index += 1) {
      const user = this.plan.users[index % this.plan.users.length]
      const source = userSource(this.plan.users, user === undefined ? {} : { user })
      this.log({ type_id: commonTypes[index % commonTypes.length] ?? 57, ...source })
    }
  }

  /** Clears the event list, as a system reset does. */
  clearEvents(): void {
    this.#uplink.clear()
    this.#view.note()
  }

  protected noteChange(): void {
    this.#view.note()
  }

  #createReport(): PanelReport {
    return createReport(this.partitions, (one) => this.isReady(one), this.devices, this.incidents)
  }

  #requirePartitions(id: number): readonly Partition[] {
    const chosen = this.findPartitions(id)
    if (chosen.length === 0) throw new RangeError(`Panel ${this.serial} has no partition ${id}.`)
    return chosen
  }
}

import { clearWarning, type Device, deviceSource, setWarning } from './device.ts'
import type { EventFields } from './event-log.ts'
import { isoT, type PanelClock } from './world-time.ts'

/** The enrolled devices of a panel, and what happens to them besides their alarms. */
export abstract class EnrolledDevices {
  readonly serial: string
  /** The panel's own clock, which dates its events and readings. */
  readonly clock: PanelClock
  readonly #devices: Device[]

  /** @param devices are copied: those of the panel change */
  constructor(serial: string, devices: readonly Device[], clock: PanelClock) {
    this.serial = serial
    this.#devices = structuredClone([...devices])
    this.clock = clock
  }

  /** Adds an event to the list; any field can be set, also `event` and `datetime`. */
  abstract log(fields: EventFields): void

  /** Notes that something has changed that the service can show. */
  protected abstract noteChange(): void

  /** The enrolled devices. */
  get devices(): readonly Device[] {
    return this.#devices
  }

  /** Returns the zone with this device number. */
  zone(number: number): Device {
    const found = this.devices.find((one) => one.device_type === 'ZONE' && one.device_number === number)
    if (!found) throw new RangeError(`Panel ${this.serial} has no zone ${number}.`)
    return found
  }

  /** Returns the device with this id. */
  device(id: number): Device {
    const found = this.devices.find((one) => one.id === id)
    if (!found) throw new RangeError(`Panel ${this.serial} has no device ${id}.`)
    return found
  }

  /** Opens the case of a zone: event 8. */
  tamper(zone: number): void {
    const device = this.zone(zone)
    clearWarning(device, 'TAMPER_MEMORY')
    setWarning(device, 'TAMPER')
    this.log({ type_id: 8, ...deviceSource(device) })
  }

  /** Closes the case of a zone: event 26; the tamper stays in memory until the next arming. */
  restoreTamper(zone: number): void {
    const device = this.zone(zone)
    clearWarning(device, 'TAMPER')
    setWarning(device, 'TAMPER_MEMORY', true)
    this.log({ type_id: 26, ...deviceSource(device) })
  }

  /** Makes a battery run low: event 45. */
  lowBattery(deviceId: number): void {
    this.#warn(this.device(deviceId), 'LOW_BATTERY', 45)
  }

  /** Replaces the battery: event 46. */
  restoreBattery(deviceId: number): void {
    this.#endWarning(this.device(deviceId), 'LOW_BATTERY', 46)
  }

  /** Makes the panel miss a device, whose supervision messages it does not hear any more: event 43. */
  loseDevice(deviceId: number): void {
    this.#warn(this.device(deviceId), 'INACTIVE', 43)
  }

  /** Lets the panel hear the device again: event 44. */
  hearDevice(deviceId: number): void {
    this.#endWarning(this.device(deviceId), 'INACTIVE', 44)
  }

  /** Jams the radio of the panel: event 51. */
  jam(): void {
    this.#warn(this.#itself, 'JAMMED', 51)
  }

  /** Ends the jam: event 52. */
  endJam(): void {
    this.#endWarning(this.#itself, 'JAMMED', 52)
  }

  /** Cuts the mains power of the panel, which goes on by its battery: event 47. */
  cutPower(): void {
    this.#warn(this.#itself, 'AC_FAILURE', 47)
  }

  /** Brings the mains power back: event 48. */
  restorePower(): void {
    this.#endWarning(this.#itself, 'AC_FAILURE', 48)
  }

  /** Begins or ends any warning of a device, without an event: of most warnings none is known. */
  changeWarning(deviceId: number, type: string, on: boolean): void {
    const device = this.device(deviceId)
    if (on) setWarning(device, type)
    else clearWarning(device, type)
    this.noteChange()
  }

  /** Begins or ends the test mode of a zone. */
  soak(zone: number, enabled: boolean): void {
    this.zone(zone).traits.soak = { enabled }
    this.noteChange()
  }

  /** Removes a device, as an installer does, and returns it; no event for this is known. */
  removeDevice(deviceId: number): Device {
    const device = this.device(deviceId)
    this.#devices.splice(this.#devices.indexOf(device), 1)
    this.noteChange()
    return device
  }

  /** Enrolls a device; it is the last one of the list. */
  addDevice(device: Device): void {
    this.#devices.push(device)
    this.noteChange()
  }

  /** Sets a reading of a detector: degrees Celsius or lux (field fact), with the current time. */
  measure(deviceId: number, quantity: 'temperature' | 'brightness', value: number): void {
    const { traits } = this.device(deviceId)
    traits.meteo_info = { ...traits.meteo_info, [quantity]: { date: isoT(this.clock.now()), value } }
    this.noteChange()
  }

  /** The panel as one of its devices. */
  get #itself(): Device {
    const found = this.devices.find(({ device_type }) => device_type === 'CONTROL_PANEL')
    if (!found) throw new RangeError(`Panel ${this.serial} does not list itself among its devices.`)
    return found
  }

  #warn(device: Device, type: string, event: number): void {
    setWarning(device, type)
    this.log({ type_id: event, ...deviceSource(device) })
  }

  #endWarning(device: Device, type: string, event: number): void {
    clearWarning(device, type)
    this.log({ type_id: event, ...deviceSource(device) })
  }
}

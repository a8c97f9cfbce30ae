import { hasJoined, isPanelItself, isZone, readingDevice, showsTraits } from '../panel/devices/device.ts'
import type { PanelFault } from '../panel/devices/readings.ts'
import type { StateView } from '../panel/state/partition-state.ts'
import type { Device } from '../service/responses/devices.ts'
import { announcements, type Publication } from './discovery.ts'
import type { AnnouncedDevice } from './entities/component.ts'
import { announcedDetector, detectorState, entitiesOf, nameOfDevice } from './entities/detector.ts'
import type { DiagnosticState } from './entities/diagnostics.ts'
import { announcedPanel, type PanelIdentity } from './entities/panel-entities.ts'
import { alarmedZones, exitUntil, panelPayload, partitionPayload } from './entities/panel-state.ts'
import { type NamedPartition, partitionObject } from './entities/partition-entities.ts'
import type { Manifest } from './manifest/manifest.ts'
import type { Setup } from './setup.ts'
import {
  availabilityTopic,
  deviceObject,
  devicesAvailabilityTopic,
  panelObject,
  stateTopic,
} from './topics.ts'

/** Facts about a panel for its entities. */
export interface PanelFacts {
  identity: PanelIdentity
  state: StateView
  /** Undefined while they are not known, or not wanted. */
  devices: readonly Device[] | undefined
  /** False for devices as the service listed them while the panel may have been offline: then they have no traits. */
  isListCurrent?: boolean | undefined
  /** The types of the faults that the panel reports of itself; null before they were read, absent if nobody reads them. */
  faults?: readonly PanelFault[] | null | undefined
  /** Undefined while it is not known if the panel can be reached. */
  available: boolean | undefined
  /** False while the devices are not known, or not current. */
  areDevicesCurrent: boolean
  diagnostics: DiagnosticState
  /** Milliseconds of the monotonic clock. */
  now: number
  /** Milliseconds since 1970, at the same moment. */
  wall: number
  /** The zone in which the service writes times. */
  timeZone: string
}

interface Announced {
  announced: AnnouncedDevice
  publications: Publication[]
}

/** A text, and what it was made of. */
interface MadeText {
  of: readonly unknown[]
  text: string
}

/** Returns true if devices must be read for the groups of entities. */
export function needsDevices({ groups }: Setup): boolean {
  return (['zones', 'readings', 'bypass', 'diagnostics'] as const).some((group) => groups.has(group))
}

/**
 * The entities of a panel and their states. What has not changed is not built again: neither what is made of the same objects,
 * because nothing changes them, nor an announcement with the same outline.
 */
export class Entities {
  readonly #setup: Setup
  /** By object; `one` is undefined for a device without entities. */
  readonly #built = new Map<string, { outline: string; one: Announced | undefined }>()
  /** The outlines by object, and the states by topic. */
  readonly #texts = new Map<string, MadeText>()

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** Returns the panel and its devices, with their announcements; forgets the devices that are not there. */
  announced(
    { identity, devices = [] }: PanelFacts,
    partitions: readonly NamedPartition[],
    known: Manifest['objects'],
  ): readonly Announced[] {
    const { title, manufacturer } = identity
    const panel = this.#build(panelObject, JSON.stringify([identity, partitions]), () =>
      announcedPanel(this.#setup, identity, partitions),
    )
    const objects = new Set([panelObject])
    const detectors = ownDevices(devices).map((device) => {
      const object = deviceObject(device.id)
      objects.add(object)
      const keys = Object.keys(known[object] ?? {})
      const outline = this.#textOf(object, [device, known[object], title, manufacturer], () =>
        outlineOf(this.#setup, device, keys, identity),
      )
      return this.#build(object, outline, () => announcedDetector(this.#setup, device, keys, identity))
    })
    for (const object of this.#built.keys()) {
      if (objects.has(object)) continue
      this.#built.delete(object)
      this.#texts.delete(object)
      this.#texts.delete(stateTopic(this.#setup, object))
    }
    return [panel, ...detectors].filter((one) => one !== undefined)
  }

  /**
   * Returns the states that the broker keeps, by topic.
   * @param areDevicesAll false if a device that was announced may be there although it is not known what it says
   */
  states(facts: PanelFacts, announced: readonly Announced[], areDevicesAll = true): Map<string, string> {
    const { groups } = this.#setup
    const devices = facts.devices?.filter(hasJoined)
    const { state, areDevicesCurrent, diagnostics, available, now, wall, timeZone } = facts
    const states = new Map<string, string>()
    const { isListCurrent = true, faults } = facts
    const areBypassesAll = isListCurrent || devices?.every(tellsBypass) !== false
    const ofPanel = { title: facts.identity.title, faults, areBypassesAll }
    const nameOf = (device: Device) => nameOfDevice(this.#setup, device)
    const add = (object: string, of: readonly unknown[], payload: () => object) => {
      const topic = stateTopic(this.#setup, object)
      states.set(topic, this.#textOf(topic, of, payload))
    }
    if (groups.has('diagnostics')) add('diagnostics', [diagnostics], () => diagnostics)
    const ofDevices = devices ?? [undefined]
    if (groups.has('alarm_panel'))
      for (const partition of state.partitions)
        add(partitionObject(partition.id), [partition, ...ofDevices], () =>
          partitionPayload(partition, devices, nameOf),
        )
    if (groups.has('alarm_panel') || groups.has('zones')) {
      const until = exitUntil(state.partitions, { now, wall })
      const of = [state, until, areDevicesAll, ...Object.values(ofPanel), ...ofDevices]
      add(panelObject, of, () => panelPayload(state, devices, until, nameOf, areDevicesAll, ofPanel))
    }
    const byObject = new Map(devices?.map((device) => [deviceObject(device.id), device]))
    const alarmed = alarmedZones(state)
    for (const { announced: one } of announced) {
      const device = byObject.get(one.object)
      if (device === undefined) continue
      const isAlarmed = device.device_number !== null && alarmed.has(device.device_number)
      add(one.object, [one, device, isAlarmed, timeZone], () =>
        detectorState(one, device, { isAlarmed, timeZone }),
      )
    }
    // Last, so that nothing older is shown as available.
    if (needsDevices(this.#setup))
      states.set(devicesAvailabilityTopic(this.#setup), areDevicesCurrent ? 'online' : 'offline')
    if (available !== undefined) states.set(availabilityTopic(this.#setup), available ? 'online' : 'offline')
    return states
  }

  #build(object: string, outline: string, build: () => AnnouncedDevice | undefined): Announced | undefined {
    const before = this.#built.get(object)
    if (before?.outline === outline) return before.one
    const announced = build()
    const one = announced && { announced, publications: announcements(this.#setup, announced) }
    this.#built.set(object, { outline, one })
    return one
  }

  /** Returns a value as JSON: the text of before if it was made of the same objects and values. */
  #textOf(key: string, of: readonly unknown[], value: () => object): string {
    const before = this.#texts.get(key)
    if (before?.of.length === of.length && of.every((one, index) => one === before.of[index]))
      return before.text
    const text = JSON.stringify(value())
    this.#texts.set(key, { of, text })
    return text
  }
}

/** Returns the devices that are shown as devices of their own: those that have joined the panel. */
export function ownDevices(devices: readonly Device[]): readonly Device[] {
  return devices.filter((device) => !isPanelItself(device) && hasJoined(device))
}

/** Returns false for a zone of which the list shows no trait, so that it may be bypassed. */
function tellsBypass(device: Device): boolean {
  return !isZone(device) || showsTraits(device)
}

/** Returns what is the same as long as the announcement of a device is. */
function outlineOf(setup: Setup, device: Device, known: readonly string[], panel: PanelIdentity): unknown[] {
  const { device_type, device_number, subtype, zone_type, enrollment_id } = device
  const { label, location } = readingDevice(device)
  return [
    ...[panel.title, panel.manufacturer, label, location],
    ...[device_type, device_number, subtype, zone_type, enrollment_id],
    ...entitiesOf(setup, device, known).map(([key]) => key),
  ]
}

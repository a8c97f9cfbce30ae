import type { Random } from '../random.ts'
import { type Device, isContact } from '../world/device.ts'
import type { Panel } from '../world/panel.ts'

/** The setting of a scene: a panel, its main partition, and the places in it. */
export interface Stage {
  readonly panel: Panel
  readonly partition: number
  readonly frontDoor: number
  readonly windows: readonly number[]
  readonly zones: readonly Device[]
  readonly random: Random
}

/**
 * A scene of everyday life: acts and yields the seconds to wait; at the end, also if it is ended early, all is disarmed
 * and closed.
 */
export type Scene = (stage: Stage) => Generator<number, void>

/** Returns the main partition of a panel and its places. */
export function createStage(panel: Panel, random: Random): Stage {
  const partition = panel.plan.partitions[0]?.id ?? -1
  const zones = panel.devices.filter(
    (device) => device.device_type === 'ZONE' && device.partitions.includes(1),
  )
  const contacts = zones.filter(isContact)
  const frontDoor = contacts.find((device) => device.zone_type === 'DELAY_1')?.device_number ?? 1
  const windows = contacts.filter((device) => device.zone_type === 'PERIMETER')
  return {
    panel,
    partition,
    frontDoor,
    windows: windows.map((device) => device.device_number),
    zones,
    random,
  }
}

/** A user leaves and comes home through the front door. */
export const outing: Scene = function* ({ panel, partition, frontDoor, random }) {
  const user = random.pick(panel.plan.users) ?? 'Master user'
  if (!panel.arm(partition, 'AWAY', { user, exitDelay: 20 })) return
  try {
    yield 7
    yield* opened(panel, frontDoor, 5)
    yield random.between(22, 35)
    yield* opened(panel, frontDoor, 4)
    yield random.between(6, 12)
  } finally {
    panel.disarm(partition, { user })
  }
}

/** A window is opened at night while the house is armed: an alarm, until a user disarms. */
export const forgottenWindow: Scene = function* ({ panel, partition, windows, random }) {
  const window = random.pick(windows)
  if (window === undefined || !panel.arm(partition, 'HOME', { exitDelay: 10 })) return
  let isOpen = false
  try {
    yield random.between(25, 35)
    panel.open(window)
    isOpen = true
    yield random.between(12, 20)
  } finally {
    panel.disarm(partition, { user: random.pick(panel.plan.users) ?? 'Master user' })
    if (isOpen) panel.close(window)
  }
}

/** A window or the front door is open for a while. */
export const airing: Scene = function* ({ panel, frontDoor, windows, random }) {
  const zone = random.pick([frontDoor, ...windows]) ?? frontDoor
  yield* opened(panel, zone, random.between(15, 30))
}

/** The case of a detector is opened and closed. */
export const tampering: Scene = function* ({ panel, zones, random }) {
  const zone = random.pick(zones)?.device_number ?? 1
  panel.tamper(zone)
  try {
    yield random.between(15, 25)
  } finally {
    panel.restoreTamper(zone)
  }
}

/** The battery of a detector runs low and is replaced. */
export const weakBattery: Scene = function* ({ panel, zones, random }) {
  const device = random.pick(zones)
  if (!device) return
  panel.lowBattery(device.id)
  try {
    yield random.between(20, 40)
  } finally {
    panel.restoreBattery(device.id)
  }
}

/** A flood detector detects water; a panel without one plays the scene with the window. */
export const leak: Scene = function* (stage) {
  const zone = stage.zones.find((device) => device.zone_type === 'FLOOD')?.device_number
  if (zone === undefined) {
    yield* airing(stage)
    return
  }
  yield* opened(stage.panel, zone, 20)
}

/** Opens a zone for some seconds. */
export function* opened(panel: Panel, zone: number, seconds: number): Generator<number, void> {
  panel.open(zone)
  try {
    yield seconds
  } finally {
    panel.close(zone)
  }
}

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

/** A scene of everyday life: acts and yields the seconds to wait; at the end, all is disarmed and closed. */
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
  yield 7
  panel.open(frontDoor)
  yield 5
  panel.close(frontDoor)
  yield random.between(22, 35)
  panel.open(frontDoor)
  yield 4
  panel.close(frontDoor)
  yield random.between(6, 12)
  panel.disarm(partition, { user })
}

/** A window is opened at night while the house is armed: an alarm, until a user disarms. */
export const forgottenWindow: Scene = function* ({ panel, partition, windows, random }) {
  const window = random.pick(windows)
  if (window === undefined || !panel.arm(partition, 'HOME', { exitDelay: 10 })) return
  yield random.between(25, 35)
  panel.open(window)
  yield random.between(12, 20)
  panel.disarm(partition, { user: random.pick(panel.plan.users) ?? 'Master user' })
  yield 8
  panel.close(window)
}

/** A window or the front door is open for a while. */
export const airing: Scene = function* ({ panel, frontDoor, windows, random }) {
  const zone = random.pick([frontDoor, ...windows]) ?? frontDoor
  panel.open(zone)
  yield random.between(15, 30)
  panel.close(zone)
}

/** The case of a detector is opened and closed. */
export const tampering: Scene = function* ({ panel, zones, random }) {
  const zone = random.pick(zones)?.device_number ?? 1
  panel.tamper(zone)
  yield random.between(15, 25)
  panel.restoreTamper(zone)
}

/** The battery of a detector runs low and is replaced. */
export const weakBattery: Scene = function* ({ panel, zones, random }) {
  const device = random.pick(zones)
  if (!device) return
  panel.lowBattery(device.id)
  yield random.between(20, 40)
  panel.restoreBattery(device.id)
}

/** A flood detector detects water; a panel without one plays the scene with the window. */
export const leak: Scene = function* (stage) {
  const zone = stage.zones.find((device) => device.zone_type === 'FLOOD')?.device_number
  if (zone === undefined) {
    yield* airing(stage)
    return
  }
  stage.panel.open(zone)
  yield 20
  stage.panel.close(zone)
}

/** The connection to the service fails for a while. */
export const cutLine: Scene = function* ({ panel }) {
  panel.goOffline()
  yield 30
  panel.goOnline()
}

import type { Panel } from '../../src/panel/panel.ts'
import type { Device } from '../../src/service/responses/devices.ts'
import type { Device as SimulatedDevice, Traits } from '../../src/simulator/world/device.ts'
import type { PanelPlan } from '../../src/simulator/world/panel.ts'
import { type PartitionPlan, stateSet } from '../../src/simulator/world/partition.ts'

/** Seconds of a delay that is not known: the service tells no entry delay. */
const usualDelay = 30

/** The longest delay that is rehearsed in seconds, so that a scene ends in time. */
const maxDelay = 60

/**
 * Returns the plan of a simulated panel that has the names, partitions, devices and users of a real one, as far as they are
 * known without a request. All is disarmed and closed, and nothing is wrong.
 * @param pace 2 makes the delays half as long
 */
export function copiedPlan(panel: Panel, pace: number): PanelPlan {
  const { settings, alias, state, devices } = panel
  const partitions = (state.latest?.view.partitions ?? []).filter(({ active }) => active)
  const listed = devices.latest?.view.listed ?? []
  const delay = (seconds: number) => Math.ceil(Math.min(maxDelay, seconds) / pace)
  const copied = partitions.map(
    ({ id, name, exitDelay }): PartitionPlan => ({
      id,
      name,
      exitDelay: delay(exitDelay ?? usualDelay),
      entryDelay: delay(usualDelay),
      states: stateSet,
    }),
  )
  const whole = {
    id: -1,
    name: 'ALL',
    exitDelay: delay(usualDelay),
    entryDelay: delay(usualDelay),
    states: stateSet,
  }
  const names = [
    ...partitions.map(({ changedBy }) => changedBy?.name ?? ''),
    ...listed.map(({ traits }) => traits.owner?.name ?? ''),
  ]
  const users = [...new Set(names)].filter((name) => name !== '')
  return {
    serial: settings.serial,
    alias,
    model: 'Rehearsal',
    users: users.length > 0 ? users : ['User 1'],
    partitions: copied.length > 0 ? copied : [whole],
    devices: listed.map(copiedDevice),
  }
}

function copiedDevice({
  device_number,
  warnings: _,
  traits,
  partitions,
  ...device
}: Device): SimulatedDevice {
  return {
    ...device,
    device_number: device_number ?? 0,
    partitions: [...partitions],
    warnings: null,
    traits: copiedTraits(traits),
  }
}

/** Returns the traits that a device has, with none of its zones bypassed or tested. */
function copiedTraits(traits: Device['traits']): Traits {
  const known = withoutNulls(traits) as Traits
  return {
    ...known,
    ...(known.bypass && { bypass: { enabled: false } }),
    ...(known.soak && { soak: { enabled: false } }),
  }
}

/** Returns a copy without the fields that are null: the simulator leaves out what a device does not have. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]))
}

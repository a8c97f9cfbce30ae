import type { EventType } from '../service/catalogue/catalogue.ts'
import type { Device } from '../service/responses/devices.ts'
import type { PanelInfo } from '../service/responses/panel-info.ts'
import type { PanelStatus } from '../service/responses/status.ts'
import { withDefaults } from './catalogue/bundled-catalogue.ts'
import { type ReadingDevice, readingDevice } from './devices/readings.ts'
import { stateDefinitions } from './state/partition-setup.ts'

/** The kinds of choices that a panel offers. */
export const choiceKinds = ['partitions', 'devices', 'catalogue'] as const

/** One of the kinds of choices. */
export type ChoiceKind = (typeof choiceKinds)[number]

/** A partition to choose; -1 is the whole panel. */
export interface PartitionChoice {
  id: number
  /** Empty if the setup of the panel does not name the partition. */
  name: string
  /** The states that a flow can request, each with its options; empty if the setup is unknown. */
  states: { name: string; options: string[] }[]
}

/** A device to choose, in the service's words. */
export type DeviceChoice = Pick<ReadingDevice, 'id' | 'number' | 'type' | 'subtype' | 'label' | 'location'>

/** A type of event to choose. */
export type EventTypeChoice = Pick<EventType, 'typeId' | 'group' | 'label' | 'description'>

/**
 * Returns the partitions of a panel: those with a reported state, and those that are active in the setup.
 * @param status null if the service does not report it; the same applies to `info`
 */
export function partitionChoices(info: PanelInfo | null, status: PanelStatus | null): PartitionChoice[] {
  const setUp = info?.partitions ?? []
  const ids = [
    ...(status?.partitions ?? []).map(({ id }) => id),
    ...setUp.filter(({ active }) => active).map(({ id }) => id),
  ]
  return [...new Set(ids)]
    .toSorted((one, other) => one - other)
    .map((id) => ({
      id,
      name: setUp.find((partition) => partition.id === id)?.name ?? '',
      states: requestableStates(info, id),
    }))
}

function requestableStates(info: PanelInfo | null, id: number): PartitionChoice['states'] {
  return stateDefinitions(info, id)
    .filter(({ settable }) => settable)
    .map(({ name, options }) => ({ name, options }))
}

/** Returns the devices of a panel, with the labels that they have in messages. */
export function deviceChoices(devices: readonly Device[]): DeviceChoice[] {
  return devices.map((device) => {
    const { id, number, type, subtype, label, location } = readingDevice(device)
    return { id, number, type, subtype, label, location }
  })
}

/**
 * Returns the known event types: the service's rows over the bundled ones, because the service may lack some.
 */
export function eventTypeChoices(rows: readonly EventType[] = []): EventTypeChoice[] {
  return [...withDefaults(rows).values()].map(({ typeId, group, label, description }) => ({
    typeId,
    group,
    label,
    description,
  }))
}

import type { EventType } from '../service/catalogue.ts'
import type { Device } from '../service/devices.ts'
import type { PanelInfo } from '../service/panel-info.ts'
import type { PanelStatus } from '../service/status.ts'
import { overBundled } from './bundled-catalogue.ts'
import { stateDefinitions } from './partition-facts.ts'
import { type ReadingDevice, readingDevice } from './readings.ts'

/** What there is to choose from of a panel. */
export const choiceKinds = ['partitions', 'devices', 'catalogue'] as const

/** One of the kinds of choices. */
export type ChoiceKind = (typeof choiceKinds)[number]

/** A partition to choose; -1 is the whole panel. */
export interface PartitionChoice {
  id: number
  /** Empty where the set-up of the panel does not name it. */
  name: string
  /** The states that a flow can request, each with its options; none where the set-up is not told. */
  states: { name: string; options: string[] }[]
}

/** A device to choose, in the service's words. */
export type DeviceChoice = Pick<ReadingDevice, 'id' | 'number' | 'type' | 'subtype' | 'label' | 'location'>

/** A type of event to choose. */
export type EventTypeChoice = Pick<EventType, 'typeId' | 'group' | 'label' | 'description'>

/**
 * The partitions of a panel: those whose state is told, and those that are set up and in use.
 * @param status null where the service does not tell it; the same for the set-up
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

/** The devices of a panel, called by the labels that they have in messages. */
export function deviceChoices(devices: readonly Device[]): DeviceChoice[] {
  return devices.map((device) => {
    const { id, number, type, subtype, label, location } = readingDevice(device)
    return { id, number, type, subtype, label, location }
  })
}

/** The types of events that are known: the service's rows over the bundled ones, of which it may lack some. */
export function eventTypeChoices(rows: readonly EventType[] = []): EventTypeChoice[] {
  return [...overBundled(rows).values()].map(({ typeId, group, label, description }) => ({
    typeId,
    group,
    label,
    description,
  }))
}

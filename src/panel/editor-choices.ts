import type { Account } from '../account/account.ts'
import type { Answer } from '../account/answer.ts'
import type { PanelKey, ReadOptions } from '../account/requests/request.ts'
import { day, hour, minute } from '../duration.ts'
import type { EventType } from '../service/catalogue/catalogue.ts'
import { asKeyholderError, hasCode, KeyholderError, unsupportedCodes } from '../service/error.ts'
import { codesThatAre } from '../service/error-codes.ts'
import { operations } from '../service/operations.ts'
import type { Device } from '../service/responses/devices.ts'
import { noLimits, type PanelLimits } from '../service/responses/feature-set.ts'
import type { PanelInfo } from '../service/responses/panel-info.ts'
import type { PanelStatus } from '../service/responses/status.ts'
import { type ReadingDevice, readingDevice } from './devices/device.ts'
import { withDefaults } from './events/event-catalogue.ts'
import { PanelClient } from './panel-client.ts'
import { stateDefinitions } from './state/partition-state.ts'

/** A partition to choose; -1 is the whole panel. */
export interface PartitionChoice {
  id: number
  /** Empty if the setup of the panel does not name the partition. */
  name: string
  /** The states that a flow can request, each with its options; empty if the setup is unknown. */
  states: { name: string; options: string[] }[]
}

/** A device to choose, in the service's words. */
export type DeviceChoice = Pick<
  ReadingDevice,
  'id' | 'number' | 'type' | 'subtype' | 'label' | 'name' | 'location'
>

/** A type of event to choose. */
export type EventTypeChoice = Pick<EventType, 'typeId' | 'group' | 'label' | 'description'>

/**
 * Returns the partitions of a panel: those with a reported state, and those that are active in the setup.
 * @param status null if the service does not report it; the same applies to `info`
 */
export function partitionChoices(
  info: PanelInfo | null,
  status: PanelStatus | null,
  { maxPartitions, setsState }: PanelLimits = noLimits,
): PartitionChoice[] {
  const setUp = info?.partitions ?? []
  const ids = [
    ...(status?.partitions ?? []).map(({ id }) => id),
    ...setUp.filter(({ active }) => active).map(({ id }) => id),
  ]
  return [...new Set(ids)]
    .filter((id) => id <= maxPartitions)
    .toSorted((one, other) => one - other)
    .map((id) => ({
      id,
      name: setUp.find((partition) => partition.id === id)?.name ?? '',
      states: setsState ? requestableStates(info, id) : [],
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
    const { id, number, type, subtype, label, name, location } = readingDevice(device)
    return { id, number, type, subtype, label, name, location }
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

/** Errors of the request and not of the connection: a request in another language may succeed. */
const refused = codesThatAre('of the request')

/** Returns read options that reuse recent answers, such as those of the polls. */
function urgentRead(signal: AbortSignal, maxAge = minute): ReadOptions {
  return { lane: 'urgent', maxAge, signal }
}

/**
 * Returns the partitions of a panel, from its setup and its state; one of the two is enough.
 * @throws KeyholderError if the service gives neither
 */
export async function readPartitionChoices(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): Promise<PartitionChoice[]> {
  const panelClient = new PanelClient(account, panel)
  await panelClient.identify(urgentRead(signal))
  await panelClient.readLimits(urgentRead(signal))
  const info = await panelClient
    .request(operations.panelInfo, urgentRead(signal, hour))
    .catch(asKeyholderError)
  const status = await panelClient.request(operations.status, urgentRead(signal)).catch(asKeyholderError)
  if (info instanceof KeyholderError && status instanceof KeyholderError) throw info
  return partitionChoices(valueOrNull(info), valueOrNull(status), panelClient.limits)
}

/**
 * Returns the devices of a panel.
 * @throws KeyholderError
 */
export async function readDeviceChoices(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): Promise<DeviceChoice[]> {
  const panelClient = new PanelClient(account, panel)
  await panelClient.identify(urgentRead(signal))
  return deviceChoices((await panelClient.request(operations.devices, urgentRead(signal))).value)
}

/**
 * Returns the event types in `locale` if the service has that language, else in the account's.
 * @param locale such as `de_DE`
 * @throws KeyholderError if the service fails; a service without a catalogue is not a failure
 */
export async function readEventTypeChoices(
  account: Account,
  locale: string,
  signal: AbortSignal,
): Promise<EventTypeChoice[]> {
  const ask = (locale: string): Promise<Answer<EventType[]> | KeyholderError> =>
    account.sendRead(operations.eventProfiles, { ...urgentRead(signal, day), locale }).catch(asKeyholderError)
  const { locale: own } = account.settings
  let outcome = await ask(locale)
  if (hasCode(outcome, ...refused) && locale !== own) outcome = await ask(own)
  if (!(outcome instanceof KeyholderError)) return eventTypeChoices(outcome.value)
  if (hasCode(outcome, ...unsupportedCodes)) return eventTypeChoices()
  throw outcome
}

function valueOrNull<T>(outcome: Answer<T> | KeyholderError): T | null {
  return outcome instanceof KeyholderError ? null : outcome.value
}

// What earlier answers to polls, flows and dialogs contain, however old they are: a name hardly changes. Nothing
// here sends a request.

/** Returns the partitions of a panel in the latest answers; empty if there are none. */
export function recallPartitionChoices(account: Account, panel: PanelKey): PartitionChoice[] {
  const info = account.recall(operations.panelInfo, { panel }) ?? null
  const status = account.recall(operations.status, { panel }) ?? null
  return partitionChoices(info, status)
}

/** Returns the devices of a panel in the latest answer; empty if there is none. */
export function recallDeviceChoices(account: Account, panel: PanelKey): DeviceChoice[] {
  return deviceChoices(account.recall(operations.devices, { panel }) ?? [])
}

/** Returns the event types in `locale`, else in the language of the account, else in English. */
export function recallEventTypeChoices(account: Account, locale: string): EventTypeChoice[] {
  const rows = [locale, account.settings.locale].map((locale) =>
    account.recall(operations.eventProfiles, { locale }),
  )
  return eventTypeChoices(rows.find((found) => found !== undefined))
}

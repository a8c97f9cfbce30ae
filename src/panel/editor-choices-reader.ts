import type { Account } from '../account/account.ts'
import type { Answer, ReadOptions } from '../account/request-coalescer.ts'
import type { PanelKey } from '../account/sign-in.ts'
import type { EventType } from '../service/catalogue/catalogue.ts'
import { asKeyholderError, type ErrorCode, KeyholderError } from '../service/error.ts'
import { hasCode, lacking } from '../service/error-code.ts'
import { operations } from '../service/operations.ts'
import {
  type DeviceChoice,
  deviceChoices,
  type EventTypeChoice,
  eventTypeChoices,
  type PartitionChoice,
  partitionChoices,
} from './editor-choices.ts'
import { PanelClient } from './panel-client.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Errors of the request and not of the connection: a request in another language may succeed. */
const refused: readonly ErrorCode[] = [...lacking, 'BAD_SETTING', 'BAD_RESPONSE', 'SERVER_ERROR']

/** Returns read options that reuse recent answers, such as those of the polls. */
function asking(signal: AbortSignal, maxAge = minute): ReadOptions {
  return { lane: 'urgent', maxAge, signal }
}

/**
 * Returns the partitions of a panel, from its setup and its state; one of the two is enough.
 * @throws KeyholderError if the service gives neither
 */
export async function askPartitions(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): Promise<PartitionChoice[]> {
  const panelClient = new PanelClient(account, panel)
  await panelClient.identify(asking(signal))
  const info = await panelClient.ask(operations.panelInfo, asking(signal, hour)).catch(asKeyholderError)
  const status = await panelClient.ask(operations.status, asking(signal)).catch(asKeyholderError)
  if (info instanceof KeyholderError && status instanceof KeyholderError) throw info
  return partitionChoices(told(info), told(status))
}

/**
 * Returns the devices of a panel.
 * @throws KeyholderError
 */
export async function askDevices(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): Promise<DeviceChoice[]> {
  const panelClient = new PanelClient(account, panel)
  await panelClient.identify(asking(signal))
  return deviceChoices((await panelClient.ask(operations.devices, asking(signal))).value)
}

/**
 * Returns the event types in `locale` if the service has that language, else in the account's.
 * @param locale such as `de_DE`
 * @throws KeyholderError if the service fails; a service without a catalogue is not a failure
 */
export async function askEventTypes(
  account: Account,
  locale: string,
  signal: AbortSignal,
): Promise<EventTypeChoice[]> {
  const ask = (locale: string): Promise<Answer<EventType[]> | KeyholderError> =>
    account.ask(operations.eventProfiles, { ...asking(signal, day), locale }).catch(asKeyholderError)
  const { locale: own } = account.settings
  let outcome = await ask(locale)
  if (hasCode(outcome, ...refused) && locale !== own) outcome = await ask(own)
  if (!(outcome instanceof KeyholderError)) return eventTypeChoices(outcome.value)
  if (hasCode(outcome, ...lacking)) return eventTypeChoices()
  throw outcome
}

function told<T>(outcome: Answer<T> | KeyholderError): T | null {
  return outcome instanceof KeyholderError ? null : outcome.value
}

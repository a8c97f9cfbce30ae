import type { Account } from '../account/account.ts'
import type { Answer, Asking } from '../account/flights.ts'
import type { PanelKey } from '../account/sign-in.ts'
import type { EventType } from '../service/catalogue.ts'
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
} from './choices.ts'
import { Inquiry } from './inquiry.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** It was the question that failed, and not the way to the service: another language may be answered. */
const refused: readonly ErrorCode[] = [...lacking, 'BAD_SETTING', 'BAD_RESPONSE', 'SERVER_ERROR']

/** Of the answers that polls brought lately none is asked for again. */
function asking(signal: AbortSignal, maxAge = minute): Asking {
  return { lane: 'urgent', maxAge, signal }
}

/**
 * The partitions of a panel, from its set-up and its state; one of the two is enough.
 * @throws KeyholderError where neither is told
 */
export async function askPartitions(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): Promise<PartitionChoice[]> {
  const inquiry = new Inquiry(account, panel)
  await inquiry.identify(asking(signal))
  const info = await inquiry.ask(operations.panelInfo, asking(signal, hour)).catch(asKeyholderError)
  const status = await inquiry.ask(operations.status, asking(signal)).catch(asKeyholderError)
  if (info instanceof KeyholderError && status instanceof KeyholderError) throw info
  return partitionChoices(told(info), told(status))
}

/**
 * The devices of a panel.
 * @throws KeyholderError
 */
export async function askDevices(
  account: Account,
  panel: PanelKey,
  signal: AbortSignal,
): Promise<DeviceChoice[]> {
  const inquiry = new Inquiry(account, panel)
  await inquiry.identify(asking(signal))
  return deviceChoices((await inquiry.ask(operations.devices, asking(signal))).value)
}

/**
 * The types of events, in a language if the service has it, else in the account's.
 * @param locale as `de_DE`
 * @throws KeyholderError where the service fails; one that has no catalogue does not
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

import type { Account } from '../account/account.ts'
import type { PanelKey } from '../account/requests/request.ts'
import { operations } from '../service/operations.ts'
import {
  type DeviceChoice,
  deviceChoices,
  type EventTypeChoice,
  eventTypeChoices,
  type PartitionChoice,
  partitionChoices,
} from './editor-choices.ts'

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

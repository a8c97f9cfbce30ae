import type { NodeAPI } from 'node-red'
import type { RawSettings } from '../../src/account/settings.ts'
import {
  type DeviceChoice,
  type EventTypeChoice,
  eventTypeChoices,
  type PartitionChoice,
} from '../../src/panel/choices.ts'
import { askDevices, askEventTypes, askPartitions } from '../../src/panel/choices-inquiry.ts'
import { asKeyholderError, type ErrorCode, type KeyholderError } from '../../src/service/error.ts'
import { localeOf } from '../../src/service/locale.ts'
import { type FormAnswer, formOf, type Reply } from '../shared/form-route.ts'
import type { OpenAccount } from '../shared/open-account.ts'
import { tried } from './account-check.ts'
import { panelOf } from './panel-form.ts'

/** What a dialog is told there is to choose from: of the kind that it asked for. */
export interface Choices {
  partitions?: PartitionChoice[]
  devices?: DeviceChoice[]
  catalogue?: EventTypeChoice[]
  /** Why the service could not be asked; what is known without it stands beside. */
  failure?: { code: ErrorCode; message: string }
}

/**
 * Tells the dialogs of flow nodes what there is to choose from. The form is that of the panel
 * node, with that of its account; `of` says what is wanted, `language` is the editor's.
 *
 * What polls have brought within the last minute is not asked for again: a trial shares the answers of the sign-in.
 */
export function panelChoices(RED: NodeAPI): FormAnswer {
  return {
    async answer(id, form, reply, signal) {
      const account = formOf(form.account)
      const look = async function* (opened: OpenAccount) {
        yield await choicesOf(RED, id, form, opened, signal)
      }
      try {
        for await (const choices of tried(RED, String(account.id ?? ''), account, look)) tell(reply, choices)
      } catch (thrown) {
        tell(reply, { ...knownAnyway(form.of), ...failure(asKeyholderError(thrown)) })
      }
    },
    fail: (error, reply) => tell(reply, failure(error)),
  }
}

async function choicesOf(
  RED: NodeAPI,
  id: string,
  form: RawSettings,
  opened: OpenAccount,
  signal: AbortSignal,
): Promise<Choices> {
  const { account } = opened
  if (form.of === 'catalogue') {
    const locale = localeOf(String(form.language)) ?? account.settings.locale
    return { catalogue: await askEventTypes(account, locale, signal) }
  }
  const panel = await panelOf(RED, id, form, opened)
  return form.of === 'devices'
    ? { devices: await askDevices(account, panel, signal) }
    : { partitions: await askPartitions(account, panel, signal) }
}

/** The types of events are known without the service, in English. */
function knownAnyway(of: unknown): Choices {
  return of === 'catalogue' ? { catalogue: eventTypeChoices() } : {}
}

function tell(reply: Reply, choices: Choices): void {
  reply.set({ 'Content-Type': 'application/json' })
  reply.end(JSON.stringify(choices))
}

function failure({ code, message }: KeyholderError): Choices {
  return { failure: { code, message } }
}

import type { NodeAPI } from 'node-red'
import {
  type DeviceChoice,
  type EventTypeChoice,
  eventTypeChoices,
  type PartitionChoice,
  readDeviceChoices,
  readEventTypeChoices,
  readPartitionChoices,
  recallDeviceChoices,
  recallEventTypeChoices,
  recallPartitionChoices,
} from '../../src/panel/editor-choices.ts'
import type { Panel } from '../../src/panel/panel.ts'
import {
  asKeyholderError,
  type DialogError,
  dialogError,
  type KeyholderError,
} from '../../src/service/error.ts'
import { localeOf } from '../../src/service/locale.ts'
import type { RawSettings } from '../../src/settings.ts'
import { configNode, type OpenAccount } from '../config/config-nodes.ts'
import { withTrialAccount } from './account-check.ts'
import { type FormAnswer, formOf, type Reply } from './form-route.ts'
import { panelOf } from './form-values.ts'

/** The choices for a dialog: only the requested kind is set. */
export interface Choices {
  partitions?: PartitionChoice[]
  devices?: DeviceChoice[]
  catalogue?: EventTypeChoice[]
  /** Reason why the service could not be queried; choices that are known without the service are set too. */
  failure?: DialogError
}

/**
 * Returns choices to the dialogs of flow nodes. The form is the panel node's form and contains the account's
 * form; `of` is the requested kind, `language` the language of the editor.
 *
 * Answers that polls received within the last minute are reused, because a check shares the answers of the
 * sign-in.
 */
export function panelChoices(RED: NodeAPI): FormAnswer {
  return {
    async answer(id, form, reply, signal) {
      const account = formOf(form.account)
      const use = async function* (opened: OpenAccount) {
        yield await choicesOf(RED, id, form, opened, signal)
      }
      try {
        for await (const choices of withTrialAccount(RED, String(account.id ?? ''), account, use))
          sendChoices(reply, choices)
      } catch (thrown) {
        sendChoices(reply, { ...knownAnyway(form.of), ...failure(asKeyholderError(thrown)) })
      }
    },
    fail: (error, reply) => sendChoices(reply, failure(error)),
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
    return { catalogue: await readEventTypeChoices(account, locale, signal) }
  }
  const panel = await panelOf(RED, id, form, opened)
  return form.of === 'devices'
    ? { devices: await readDeviceChoices(account, panel, signal) }
    : { partitions: await readPartitionChoices(account, panel, signal) }
}

/** Returns the event types, in English, which are known without the service. */
function knownAnyway(of: unknown): Choices {
  return of === 'catalogue' ? { catalogue: eventTypeChoices() } : {}
}

/** Sends choices as JSON. */
function sendChoices(reply: Reply, choices: Choices): void {
  reply.set({ 'Content-Type': 'application/json' })
  reply.end(JSON.stringify(choices))
}

/** Returns choices with nothing but the reason why there are none. */
function failure(error: KeyholderError): Choices {
  return { failure: dialogError(error) }
}

/**
 * Returns to the dialogs of flow nodes the names of what is selected, as far as the deployed panel knows them: a
 * dialog that is merely opened must not cost a request to the service. The form holds the requested kind as `of`,
 * and the language of the editor.
 */
export function knownChoices(RED: NodeAPI): FormAnswer {
  return {
    async answer(id, { of, language }, reply) {
      const panel = await configNode(RED, 'keyholder-panel', id)?.opened()
      sendChoices(reply, recall(panel, of, String(language)))
    },
    fail: (error, reply) => sendChoices(reply, failure(error)),
  }
}

function recall(panel: Panel | undefined, of: unknown, language: string): Choices {
  if (panel === undefined) return of === 'catalogue' ? { catalogue: eventTypeChoices() } : {}
  const { account, settings } = panel
  if (of === 'catalogue') {
    return { catalogue: recallEventTypeChoices(account, localeOf(language) ?? account.settings.locale) }
  }
  return of === 'devices'
    ? { devices: recallDeviceChoices(account, settings) }
    : { partitions: recallPartitionChoices(account, settings) }
}

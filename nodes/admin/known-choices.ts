import type { NodeAPI } from 'node-red'
import {
  eventTypeChoices,
  recallDeviceChoices,
  recallEventTypeChoices,
  recallPartitionChoices,
} from '../../src/panel/editor-choices.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { localeOf } from '../../src/service/locale.ts'
import { configNode } from '../config/config-nodes.ts'
import type { FormAnswer } from './form-route.ts'
import { type Choices, failure, sendChoices } from './panel-choices.ts'

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

import type { NodeAPI } from 'node-red'
import type { RawSettings } from '../../src/account/account-settings.ts'
import type { PanelSettings } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/panel-settings.ts'
import { configNode } from '../shared/config-nodes.ts'
import type { OpenAccount } from '../shared/open-account.ts'
import { credentialsFilledIn, resolveStored } from './form-values.ts'

/**
 * Returns the settings of the panel in a form; a demo account supplies its own user code.
 * @param id of the panel node, deployed or not
 * @throws KeyholderError if a value is invalid
 */
export async function panelOf(
  RED: NodeAPI,
  id: string,
  form: RawSettings,
  { account, demo }: OpenAccount,
): Promise<PanelSettings> {
  // The demo needs no code, and must not get the code typed for a real panel.
  const raw = demo ? { serial: form.serial } : withStored(RED, id, form, account.settings.url)
  return panelSettings(raw, demo, 0)
}

function withStored(RED: NodeAPI, id: string, { serial, userCode }: RawSettings, to: string): RawSettings {
  const node = configNode(RED, 'keyholder-panel', id)
  const storedFor = configNode(RED, 'keyholder-account', node?.deployed.account)?.deployed.url
  return {
    ...resolveStored({ serial }, node?.deployed),
    ...credentialsFilledIn({ userCode }, node && { ...node.credentials }, { to, storedFor }),
  }
}

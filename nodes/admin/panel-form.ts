import type { NodeAPI } from 'node-red'
import type { RawSettings } from '../../src/account/settings.ts'
import type { PanelSettings } from '../../src/panel/panel.ts'
import { panelSettings } from '../../src/panel/settings.ts'
import { configNode } from '../shared/config-node.ts'
import type { OpenAccount } from '../shared/open-account.ts'
import { credentialsFilledIn, filledIn } from './form-values.ts'

/**
 * The panel that a form names, at the account that was opened for it.
 * @param id of the panel node, deployed or not
 * @throws KeyholderError what is wrong with the values
 */
export async function panelOf(
  RED: NodeAPI,
  id: string,
  form: RawSettings,
  { account, demo }: OpenAccount,
): Promise<PanelSettings> {
  // The demo needs no code, and what is typed for a real panel is not for it.
  const raw = demo ? { serial: form.serial } : withStored(RED, id, form, account.settings.url)
  return panelSettings(raw, demo, 0)
}

function withStored(RED: NodeAPI, id: string, { serial, userCode }: RawSettings, to: string): RawSettings {
  const node = configNode(RED, 'keyholder-panel', id)
  const storedFor = configNode(RED, 'keyholder-account', node?.deployed.account)?.deployed.url
  return {
    ...filledIn({ serial }, node?.deployed),
    ...credentialsFilledIn({ userCode }, node && { ...node.credentials }, { to, storedFor }),
  }
}

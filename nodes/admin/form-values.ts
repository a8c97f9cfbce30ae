import type { NodeAPI } from 'node-red'
import { type PanelSettings, panelSettings } from '../../src/panel/panel-settings.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { labelOf, passwordPlaceholder, type RawSettings, text } from '../../src/settings.ts'
import { configNode, type OpenAccount, type PanelNode } from '../config/config-nodes.ts'
import {
  ofAccount,
  ofPanel,
  originOf,
  type SecretKind,
  type SecretNode,
  storedElsewhere,
  storedFor,
} from '../config/stored-for.ts'

/**
 * Fills in values that only the runtime knows from the deployed node: an unchanged password, an environment
 * variable.
 * @throws KeyholderError NOT_CONFIGURED if there is no deployed node
 */
export function resolveStored(form: RawSettings, stored: RawSettings | undefined): RawSettings {
  const values = Object.entries(form).map(([field, value]) => {
    if (!isStored(value)) return [field, value]
    if (stored === undefined)
      throw new KeyholderError(
        'NOT_CONFIGURED',
        `${labelOf(field)}: ${whyNot(value)}`,
        {},
        {
          text: value === passwordPlaceholder ? 'finding.notStored' : 'finding.variableUndeployed',
          fields: [field],
        },
      )
    return [field, stored[field]]
  })
  return Object.fromEntries(values)
}

/** The use that a check would make of stored credentials. */
interface StoredUse {
  node: SecretNode
  kind: SecretKind
  /** Where they were stored for. */
  bound: string | undefined
  /** True if they would be sent there. */
  isSent: boolean
  /** The settings of the form, and those that are deployed, of the node that connects. */
  settings: RawSettings
  deployed: RawSettings | undefined
}

/**
 * Fills in stored credentials from the deployed node, but only for the destination that they were stored for, and only with the
 * certificate authority that is deployed. Otherwise a user with permission to change settings could send a stored
 * password to a host of their own, or read it on the way.
 * @param form the credentials of the form
 * @param use returns what the check would do with what is stored; undefined if nothing is deployed
 * @throws KeyholderError BAD_SETTING if the destination or the authority is another one
 */
export async function credentialsFilledIn(
  form: RawSettings,
  use: () => Promise<StoredUse | undefined>,
): Promise<RawSettings> {
  const field = Object.keys(form).find((name) => isStored(form[name]))
  const stored = field === undefined ? undefined : await use()
  if (field === undefined || stored === undefined) return resolveStored(form, undefined)
  const { node, kind, bound, isSent, settings, deployed = {} } = stored
  if (!isSent) throw storedElsewhere(kind, bound ?? 'another address', field)
  if (text(settings, 'caFile') !== text(deployed, 'caFile')) throw otherAuthority(field)
  return resolveStored(form, { ...node.credentials })
}

/** Returns what a check with the settings of a form would do with the stored credentials of an account or a cluster. */
export async function useOf(
  RED: NodeAPI,
  node: SecretNode | undefined,
  kind: SecretKind,
  settings: RawSettings,
): Promise<StoredUse | undefined> {
  if (node === undefined) return undefined
  const bound = await storedFor(RED, node, kind)
  const isSent = bound !== undefined && bound === kind.destinationOf(settings)
  return { node, kind, bound, isSent, settings, deployed: node.deployed }
}

function otherAuthority(field: string): KeyholderError {
  const sentence = `${labelOf(field)}: this value is stored, and is sent only with the ${labelOf('caFile')} that is deployed. Deploy first, or enter the value again.`
  return new KeyholderError('BAD_SETTING', sentence, {}, { text: 'finding.otherAuthority', fields: [field] })
}

function isStored(value: unknown): value is string {
  return typeof value === 'string' && (value === passwordPlaceholder || /^\$\{[^}]+\}$/.test(value.trim()))
}

function whyNot(value: string): string {
  return value === passwordPlaceholder
    ? 'this field is not stored yet. Enter the value, or deploy and try again.'
    : 'the environment variable has no value before a deploy. Deploy, then try again.'
}

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
  // The demo needs no code, and what is stored for a real panel is not looked up for it.
  const raw = demo ? { serial: form.serial } : await withStored(RED, id, form, account.settings)
  return panelSettings(raw, demo, 0)
}

async function withStored(
  RED: NodeAPI,
  id: string,
  { serial, userCode }: RawSettings,
  account: { url: string; caFile: string },
): Promise<RawSettings> {
  const node = configNode(RED, 'keyholder-panel', id)
  return {
    ...resolveStored({ serial }, node?.deployed),
    ...(await credentialsFilledIn({ userCode }, async () => node && useOfCode(RED, node, account))),
  }
}

/** Returns what a check through an account would do with a stored user code, which goes wherever its account's password may go. */
async function useOfCode(
  RED: NodeAPI,
  node: PanelNode,
  settings: { url: string; caFile: string },
): Promise<StoredUse> {
  const kind = ofPanel(RED)
  const bound = await storedFor(RED, node, kind)
  const account = configNode(RED, 'keyholder-account', bound)
  const origin = account && (await storedFor(RED, account, ofAccount))
  const isSent = origin !== undefined && origin === originOf(settings.url)
  return { node, kind, bound, isSent, settings: { ...settings }, deployed: account?.deployed }
}

import type { NodeAPI } from 'node-red'
import { type PanelSettings, panelSettings } from '../../src/panel/panel-settings.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { labelOf, passwordPlaceholder, type RawSettings } from '../../src/settings.ts'
import { configNode, type OpenAccount } from '../config/config-nodes.ts'

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

/**
 * Fills in stored credentials from the deployed node, but only for the host that they were stored for.
 * Otherwise a user with permission to change settings could send a stored password to a host of their own.
 * @param isSameHost true if the host that receives the credentials is that of the deployed node
 * @throws KeyholderError BAD_SETTING if it is another one
 */
export function credentialsFilledIn(
  form: RawSettings,
  stored: RawSettings | undefined,
  isSameHost: boolean,
): RawSettings {
  const field = Object.keys(form).find((name) => isStored(form[name]))
  if (field !== undefined && stored !== undefined && !isSameHost) {
    throw new KeyholderError(
      'BAD_SETTING',
      `${labelOf(field)}: this value was stored for another service. For your safety it is not sent to this one. Enter it again.`,
      {},
      { text: 'finding.storedElsewhere', fields: [field] },
    )
  }
  return resolveStored(form, stored)
}

function isStored(value: unknown): value is string {
  return typeof value === 'string' && (value === passwordPlaceholder || /^\$\{[^}]+\}$/.test(value.trim()))
}

function whyNot(value: string): string {
  return value === passwordPlaceholder
    ? 'this field is not stored yet. Enter the value, or deploy and try again.'
    : 'the environment variable has no value before a deploy. Deploy, then try again.'
}

/** Returns true if two addresses of services have the same scheme, host and port. */
export function isSameOrigin(one: unknown, other: unknown): boolean {
  const origins = [one, other].map((url) =>
    typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined,
  )
  return origins[0] !== undefined && origins[0] === origins[1]
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
  const raw = demo ? { serial: form.serial } : withStored(RED, id, form, account.settings.url)
  return panelSettings(raw, demo, 0)
}

function withStored(RED: NodeAPI, id: string, { serial, userCode }: RawSettings, to: string): RawSettings {
  const node = configNode(RED, 'keyholder-panel', id)
  const storedFor = configNode(RED, 'keyholder-account', node?.deployed.account)?.deployed.url
  return {
    ...resolveStored({ serial }, node?.deployed),
    ...credentialsFilledIn({ userCode }, node && { ...node.credentials }, isSameOrigin(to, storedFor)),
  }
}

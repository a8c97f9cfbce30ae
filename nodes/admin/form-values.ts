import type { RawSettings } from '../../src/account/settings.ts'
import { KeyholderError } from '../../src/service/error.ts'

/** What the editor shows in a password field whose value only the runtime knows. */
const unchanged = '__PWRD__'

/**
 * The values of a form, with what only the runtime knows taken from the deployed node: a password that was left as it
 * is, a value of the environment.
 * @throws KeyholderError NOT_CONFIGURED where there is no deployed node to take it from
 */
export function filledIn(form: RawSettings, stored: RawSettings | undefined): RawSettings {
  const values = Object.entries(form).map(([field, value]) => {
    if (!isStored(value)) return [field, value]
    if (stored === undefined) throw new KeyholderError('NOT_CONFIGURED', `${field}: ${whyNot(value)}`)
    return [field, stored[field]]
  })
  return Object.fromEntries(values)
}

/**
 * Credentials of a form, filled in from the deployed node for no other host than the one they were stored for: whoever
 * may change settings could otherwise have a stored password sent to a host of their own.
 * @param to url that they would be sent to
 * @param storedFor url of the deployed account
 * @throws KeyholderError BAD_SETTING
 */
export function credentialsFilledIn(
  form: RawSettings,
  stored: RawSettings | undefined,
  { to, storedFor }: { to: unknown; storedFor: unknown },
): RawSettings {
  const field = Object.keys(form).find((name) => isStored(form[name]))
  if (field !== undefined && stored !== undefined && !isSameOrigin(to, storedFor)) {
    throw new KeyholderError(
      'BAD_SETTING',
      `${field}: what is stored belongs to another address and is not sent to this one. Type it in anew.`,
    )
  }
  return filledIn(form, stored)
}

function isStored(value: unknown): value is string {
  return typeof value === 'string' && (value === unchanged || /^\$\{[^}]+\}$/.test(value.trim()))
}

function whyNot(value: string): string {
  return value === unchanged
    ? 'nothing is stored before the first deploy. Type it in, or deploy and check then.'
    : 'an environment variable is filled in when the node is deployed. Deploy, and check then.'
}

function isSameOrigin(one: unknown, other: unknown): boolean {
  const origins = [one, other].map((url) =>
    typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined,
  )
  return origins[0] !== undefined && origins[0] === origins[1]
}

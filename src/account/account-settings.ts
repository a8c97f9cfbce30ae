import { KeyholderError } from '../service/error.ts'
import { isLocale } from '../service/locale.ts'
import { isTimeZone } from '../service/time.ts'
import { type Api, isSupported } from '../service/version.ts'

/** The checked settings of an account. */
export interface AccountSettings {
  /** Address of the service without a trailing slash: the origin alone, or a complete base address. */
  url: string
  /** True if `url` has a path: `url` is then the complete base address, and no version is negotiated. */
  urlIsBase: boolean
  /** A pinned version such as "14.0"; if empty, the highest offered version is used. */
  apiVersion: string
  api: Api
  appId: string
  deviceInfo: string
  locale: string
  timeZone: string
  requestsPerMinute: number
  /** Seconds. */
  timeout: number
  caFile: string
  email: string
  password: string
}

/** Settings from the flow file: any of them may be missing, and any number may be a text. */
export type RawSettings = Partial<Record<string, unknown>>

/**
 * Checks the settings of an account and fills in the defaults of the public contract.
 * @param defaults values that replace an empty `appId` and `deviceInfo`
 * @throws KeyholderError NOT_CONFIGURED (url, email or password missing), BAD_SETTING, UNSUPPORTED_VERSION
 */
export function accountSettings(
  raw: RawSettings,
  defaults: Pick<AccountSettings, 'appId' | 'deviceInfo'>,
): AccountSettings {
  const timeZone = words(raw, 'timeZone') || 'UTC'
  if (!isTimeZone(timeZone)) throw bad('timeZone', `"${timeZone}" is no IANA time zone such as Europe/Berlin`)
  const locale = words(raw, 'locale') || 'en_US'
  if (!isLocale(locale)) throw bad('locale', `"${locale}" is no language and region such as en_US`)
  const apiVersion = words(raw, 'apiVersion')
  if (apiVersion !== '' && !/^\d+(\.\d+)?$/.test(apiVersion)) {
    throw bad('apiVersion', `"${apiVersion}" is no version such as 14.0; leave it empty to ask the service`)
  }
  if (apiVersion !== '' && !isSupported(apiVersion)) {
    throw new KeyholderError(
      'UNSUPPORTED_VERSION',
      `apiVersion: ${apiVersion} is too old; 8.0 is the oldest usable.`,
    )
  }
  const api = words(raw, 'api') || 'user'
  if (api !== 'user' && api !== 'service') throw bad('api', 'choose user or service')
  return {
    ...serviceAddress(words(raw, 'url')),
    apiVersion,
    api,
    appId: words(raw, 'appId') || defaults.appId,
    deviceInfo: words(raw, 'deviceInfo') || defaults.deviceInfo,
    locale,
    timeZone,
    requestsPerMinute: quantity(raw, 'requestsPerMinute', 30, { least: 1, most: 6000, whole: true }),
    timeout: quantity(raw, 'timeout', 10, { least: 0.1, most: 300 }),
    caFile: words(raw, 'caFile'),
    email: required(raw, 'email'),
    password:
      typeof raw.password === 'string' && raw.password !== '' ? raw.password : required(raw, 'password'),
  }
}

function serviceAddress(url: string): Pick<AccountSettings, 'url' | 'urlIsBase'> {
  if (url === '') throw missing('url')
  if (!/^https?:\/\//i.test(url)) throw bad('url', 'it must begin with https://')
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined) throw bad('url', 'it is no web address')
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
    throw bad('url', 'it must hold no user name, password, question mark or number sign')
  }
  if (address.protocol === 'http:' && !isLoopback(address.hostname)) {
    throw bad(
      'url',
      'http:// would send the password unprotected; use https:// (http:// is for this machine only)',
    )
  }
  const path = address.pathname.replace(/\/+$/, '')
  return { url: address.origin + path, urlIsBase: path !== '' }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Returns a text setting trimmed, a number as its digits, a missing setting as an empty text. */
export function words(raw: RawSettings, field: string): string {
  const value = raw[field]
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

function required(raw: RawSettings, field: string): string {
  const value = words(raw, field)
  if (value === '') throw missing(field)
  return value
}

/** Returns a number setting, or the default if it is empty. */
export function quantity(
  raw: RawSettings,
  field: string,
  fallback: number,
  { least, most, whole = false }: { least: number; most: number; whole?: boolean },
): number {
  const text = words(raw, field)
  if (text === '') return fallback
  const value = Number(text)
  if (!(value >= least && value <= most) || (whole && !Number.isInteger(value))) {
    throw bad(field, `"${text}" is no ${whole ? 'whole ' : ''}number from ${least} to ${most}`)
  }
  return value
}

function bad(field: string, why: string): KeyholderError {
  return new KeyholderError('BAD_SETTING', `${field}: ${why}.`)
}

function missing(field: string): KeyholderError {
  return new KeyholderError('NOT_CONFIGURED', `${field} is missing: fill it in in the alarm panel account.`)
}

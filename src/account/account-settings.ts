import { KeyholderError } from '../service/error.ts'
import { isLocale } from '../service/locale.ts'
import { isTimeZone } from '../service/time.ts'
import { type Api, isSupported } from '../service/version.ts'
import { badSetting, number, type RawSettings, text } from '../settings.ts'

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

/**
 * Checks the settings of an account and fills in the defaults of the public contract.
 * @param defaults values that replace an empty `appId` and `deviceInfo`
 * @throws KeyholderError NOT_CONFIGURED (url, email or password missing), BAD_SETTING, UNSUPPORTED_VERSION
 */
export function accountSettings(
  raw: RawSettings,
  defaults: Pick<AccountSettings, 'appId' | 'deviceInfo'>,
): AccountSettings {
  const timeZone = text(raw, 'timeZone') || 'UTC'
  if (!isTimeZone(timeZone))
    throw badSetting('timeZone', `"${timeZone}" is no IANA time zone such as Europe/Berlin`)
  const locale = text(raw, 'locale') || 'en_US'
  if (!isLocale(locale)) throw badSetting('locale', `"${locale}" is no language and region such as en_US`)
  const apiVersion = text(raw, 'apiVersion')
  if (apiVersion !== '' && !/^\d+(\.\d+)?$/.test(apiVersion)) {
    throw badSetting(
      'apiVersion',
      `"${apiVersion}" is no version such as 14.0; leave it empty to ask the service`,
    )
  }
  if (apiVersion !== '' && !isSupported(apiVersion)) {
    throw new KeyholderError(
      'UNSUPPORTED_VERSION',
      `apiVersion: ${apiVersion} is too old; 8.0 is the oldest usable.`,
    )
  }
  const api = text(raw, 'api') || 'user'
  if (api !== 'user' && api !== 'service') throw badSetting('api', 'choose user or service')
  return {
    ...serviceAddress(text(raw, 'url')),
    apiVersion,
    api,
    appId: text(raw, 'appId') || defaults.appId,
    deviceInfo: text(raw, 'deviceInfo') || defaults.deviceInfo,
    locale,
    timeZone,
    requestsPerMinute: number(raw, 'requestsPerMinute', 30, { min: 1, max: 6000, whole: true }),
    timeout: number(raw, 'timeout', 10, { min: 0.1, max: 300 }),
    caFile: text(raw, 'caFile'),
    email: required(raw, 'email'),
    password:
      typeof raw.password === 'string' && raw.password !== '' ? raw.password : required(raw, 'password'),
  }
}

function serviceAddress(url: string): Pick<AccountSettings, 'url' | 'urlIsBase'> {
  if (url === '') throw missing('url')
  if (!/^https?:\/\//i.test(url)) throw badSetting('url', 'it must begin with https://')
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined) throw badSetting('url', 'it is no web address')
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
    throw badSetting('url', 'it must hold no user name, password, question mark or number sign')
  }
  if (address.protocol === 'http:' && !isLoopback(address.hostname)) {
    throw badSetting(
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

function required(raw: RawSettings, field: string): string {
  const value = text(raw, field)
  if (value === '') throw missing(field)
  return value
}

function missing(field: string): KeyholderError {
  return new KeyholderError('NOT_CONFIGURED', `${field} is missing: enter it in the alarm panel account.`)
}

/**
 * The mode of an account: `deployed` uses deployed settings, `trial` tests settings that are still being
 * typed.
 *
 * A trial shares the budget, the backoff and the rejected credentials with the deployed accounts, and never
 * removes a rejection.
 */
export type AccountMode = 'deployed' | 'trial'

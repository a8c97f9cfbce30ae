import { KeyholderError } from '../service/error.ts'
import { isLocale } from '../service/locale.ts'
import { type Api, oldestSupported } from '../service/operations.ts'
import { isTimeZone } from '../service/time.ts'
import {
  badSetting,
  missingSetting,
  number,
  type RawSettings,
  refuseUnsetVariables,
  text,
} from '../settings.ts'

/** The language of an account that selects none; its texts are also a part of this package. */
export const defaultLocale = 'en_US'

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
  /** 0 for any number; undefined for the default, which depends on the number of panels. */
  requestsPerDay: number | undefined
  /** Seconds. */
  timeout: number
  caFile: string
  email: string
  password: string
}

/**
 * Checks the settings of an account and fills in the defaults of the public contract.
 * @param defaults values that replace an empty `appId` and `deviceInfo`
 * @throws KeyholderError NOT_CONFIGURED (url, email or password missing, an environment variable not set), BAD_SETTING, UNSUPPORTED_VERSION
 */
export function accountSettings(
  raw: RawSettings,
  defaults: Pick<AccountSettings, 'appId' | 'deviceInfo'>,
): AccountSettings {
  refuseUnsetVariables(raw)
  const timeZone = text(raw, 'timeZone') || 'UTC'
  if (!isTimeZone(timeZone))
    throw badSetting(
      'timeZone',
      `"${timeZone}" is not a known time zone. Select UTC, or the zone in which the service writes its times`,
    )
  const locale = text(raw, 'locale') || defaultLocale
  if (locale !== defaultLocale && !isLocale(locale))
    throw badSetting('locale', `"${locale}" is not a language with its region. Enter one such as en_US`)
  const apiVersion = text(raw, 'apiVersion')
  if (apiVersion !== '' && !/^\d+(\.\d+)?$/.test(apiVersion)) {
    throw badSetting(
      'apiVersion',
      `"${apiVersion}" is not a version. Enter one such as 14.0, or leave it empty to use the newest`,
    )
  }
  if (apiVersion !== '' && Number(apiVersion) < oldestSupported) {
    throw new KeyholderError(
      'UNSUPPORTED_VERSION',
      `API version: ${apiVersion} is too old. Enter ${oldestSupported}.0 or above, or leave it empty to use the newest.`,
      {},
      { text: 'invalid.apiVersion' },
    )
  }
  const api = text(raw, 'api') || 'user'
  if (api !== 'user' && api !== 'service')
    throw badSetting('api', `"${api}" is unknown. Select "End user" or "Installer"`)
  return {
    ...serviceAddress(text(raw, 'url')),
    apiVersion,
    api,
    appId: text(raw, 'appId') || defaults.appId,
    deviceInfo: text(raw, 'deviceInfo') || defaults.deviceInfo,
    locale,
    timeZone,
    requestsPerMinute: number(raw, 'requestsPerMinute', 30, { min: 1, max: 6000, whole: true }),
    requestsPerDay:
      text(raw, 'requestsPerDay') === ''
        ? undefined
        : number(raw, 'requestsPerDay', 0, { min: 0, max: 8_640_000, whole: true }),
    timeout: number(raw, 'timeout', 10, { min: 0.1, max: 300 }),
    caFile: text(raw, 'caFile'),
    email: required(raw, 'email'),
    password:
      typeof raw.password === 'string' && raw.password !== '' ? raw.password : required(raw, 'password'),
  }
}

/** The node of these settings, for an error. */
const node = 'the alarm account node'

function serviceAddress(url: string): Pick<AccountSettings, 'url' | 'urlIsBase'> {
  if (url === '') throw missingSetting('url', node)
  if (!/^https?:\/\//i.test(url)) throw badSetting('url', 'it must begin with https://')
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined)
    throw badSetting('url', 'this is not a web address. Enter one such as https://alarm.example.com')
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
    throw badSetting(
      'url',
      'it must not contain a user name, a password, ? or #. Enter one such as https://alarm.example.com',
      'invalid.urlParts',
    )
  }
  if (address.protocol === 'http:' && !isLoopback(address.hostname)) {
    throw badSetting(
      'url',
      'use https://, because http:// would send the password unprotected. http:// works only for a service on the machine that runs Node-RED',
      'invalid.urlPlain',
    )
  }
  const path = address.pathname.replace(/\/+$/, '')
  return { url: address.origin + path, urlIsBase: path !== '' }
}

/** Returns true for a host name of this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

function required(raw: RawSettings, field: string): string {
  const value = text(raw, field)
  if (value === '') throw missingSetting(field, node)
  return value
}

/**
 * The mode of an account: `deployed` uses deployed settings, `trial` tests settings that are still being
 * typed.
 *
 * A trial shares the budget, the backoff and the rejected credentials with the deployed accounts, and never
 * removes a rejection.
 */
export type AccountMode = 'deployed' | 'trial'
